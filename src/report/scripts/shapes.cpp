#include "report/scripts/scripts.hpp"

namespace sparsedyn::report {

// Triangles as numbers, six a corner: place and normal. Rings around z make spheres, cylinders, capsules and arrows; a ring is
// radius, height, and the normal's two parts. Matrices are column-major. The painter draws them with WebGL, and where there is
// none sorts them from the furthest to the nearest.
const char* const shapes_script = R"(
const bytesOf=text=>{const s=atob(text.replace(/\./g,'n'));return new DataView(Uint8Array.from(s,c=>c.charCodeAt(0)).buffer)};
const rotated=(q,v)=>{const [x,y,z,w]=q,t=[2*(y*v[2]-z*v[1]),2*(z*v[0]-x*v[2]),2*(x*v[1]-y*v[0])];
  return [v[0]+w*t[0]+y*t[2]-z*t[1],v[1]+w*t[1]+z*t[0]-x*t[2],v[2]+w*t[2]+x*t[1]-y*t[0]]};
const plus=(a,b,s=1)=>[a[0]+s*b[0],a[1]+s*b[1],a[2]+s*b[2]],dotted=(a,b)=>a[0]*b[0]+a[1]*b[1]+a[2]*b[2];
const crossed=(a,b)=>[a[1]*b[2]-a[2]*b[1],a[2]*b[0]-a[0]*b[2],a[0]*b[1]-a[1]*b[0]],unit=a=>{const l=Math.hypot(...a)||1;return a.map(x=>x/l)};
const flat=(out,a,b,c)=>{const n=unit(crossed(plus(b,a,-1),plus(c,a,-1)));out.push(...a,...n,...b,...n,...c,...n)};
const rings=(profile,sides=20)=>{const out=[],at=([r,z,nr,nz],k)=>{const t=2*Math.PI*k/sides,c=Math.cos(t),s=Math.sin(t);return[r*c,r*s,z,nr*c,nr*s,nz]};
  for(let i=0;i+1<profile.length;i++)for(let k=0;k<sides;k++){const a=at(profile[i],k),b=at(profile[i],k+1),c=at(profile[i+1],k+1),d=at(profile[i+1],k);
    if(profile[i][0])out.push(...a,...b,...c);if(profile[i+1][0])out.push(...a,...c,...d)}return out};
const arc=(r,z,from,to,n=8)=>Array.from({length:n+1},(_,k)=>{const t=from+(to-from)*k/n;return[Math.abs(Math.cos(t))<1e-9?0:r*Math.cos(t),z+r*Math.sin(t),Math.cos(t),Math.sin(t)]});
const faces=[[0,2,3,1],[4,5,7,6],[0,1,5,4],[2,6,7,3],[0,4,6,2],[1,3,7,5]];
const hull=corners=>{const out=[];for(const f of faces){const[a,b,c,d]=f.map(i=>corners[i]);flat(out,a,b,c);flat(out,a,c,d)}return out};
const cornersOf=(low,high)=>[0,1,2,3,4,5,6,7].map(k=>[0,1,2].map(i=>k>>i&1?high[i]:low[i]));
const quarter=Math.PI/2;
const triangles={
  box:([x,y,z])=>hull(cornersOf([-x/2,-y/2,-z/2],[x/2,y/2,z/2])),
  sphere:([r])=>rings(arc(r,0,-quarter,quarter,12)),
  cylinder:([r,l])=>rings([[0,-l/2,0,-1],[r,-l/2,0,-1],[r,-l/2,1,0],[r,l/2,1,0],[r,l/2,0,1],[0,l/2,0,1]]),
  capsule:([r,l])=>rings([...arc(r,-l/2,-quarter,0),...arc(r,l/2,0,quarter)]),
  mesh:(scale,mesh)=>{const p=bytesOf(mesh.points),t=bytesOf(mesh.triangles),out=[],at=i=>[0,1,2].map(k=>scale[k]*(mesh.low[k]+(mesh.high[k]-mesh.low[k])*p.getUint16(6*i+2*k,true)/65535));
    for(let i=0;i+5<t.byteLength;i+=6)flat(out,at(t.getUint16(i,true)),at(t.getUint16(i+2,true)),at(t.getUint16(i+4,true)));return out}};
const arrow={shaft:new Float32Array(rings([[0,0,0,-1],[1,0,0,-1],[1,0,1,0],[1,1,1,0]],10)),head:new Float32Array(rings([[0,0,0,-1],[1,0,0,-1],[1,0,.7,.7],[0,1,.7,.7]],12))};
const boundsOf=data=>{const low=[1e9,1e9,1e9],high=[-1e9,-1e9,-1e9];for(let i=0;i<data.length;i+=6)for(let k=0;k<3;k++){low[k]=Math.min(low[k],data[i+k]);high[k]=Math.max(high[k],data[i+k])}return cornersOf(low,high)};
// of a pose: a turn by a quaternion, then a shift; s: sizes along the axes before it
const placed=(p,q,s=[1,1,1])=>{const x=rotated(q,[s[0],0,0]),y=rotated(q,[0,s[1],0]),z=rotated(q,[0,0,s[2]]);return[...x,0,...y,0,...z,0,...p,1]};
const times4=(a,b)=>{const out=new Float32Array(16);for(let c=0;c<4;c++)for(let r=0;r<4;r++)out[4*c+r]=a[r]*b[4*c]+a[4+r]*b[4*c+1]+a[8+r]*b[4*c+2]+a[12+r]*b[4*c+3];return out};
const moved=(m,p)=>[0,1,2].map(r=>m[r]*p[0]+m[4+r]*p[1]+m[8+r]*p[2]+m[12+r]);
const turnTo=d=>{const[x,y,z]=d;if(z<-.999999)return[1,0,0,0];const q=[-y,x,0,1+z],l=Math.hypot(...q);return q.map(v=>v/l)};  // z to d

// Draws what it is given until show(): solids (data, matrix, colour), lines (places), and last a sheet one looks through.
const painterOf=canvas=>{
  const gl=canvas.getContext('webgl',{antialias:true,alpha:true,premultipliedAlpha:false,preserveDrawingBuffer:true});
  if(!gl)return flatPainter(canvas);
  const shader=(kind,text)=>{const s=gl.createShader(kind);gl.shaderSource(s,text);gl.compileShader(s);return s},program=gl.createProgram();
  gl.attachShader(program,shader(gl.VERTEX_SHADER,'attribute vec3 place,normal;uniform mat4 seen,model;varying vec3 n;void main(){n=mat3(model)*normal;gl_Position=seen*model*vec4(place,1.);}'));
  gl.attachShader(program,shader(gl.FRAGMENT_SHADER,'precision mediump float;varying vec3 n;uniform vec4 colour;uniform vec3 light;void main(){float l=length(n);float s=l>0.?.72+.32*dot(n/l,light):1.;gl_FragColor=vec4(colour.rgb*s,colour.a);}'));
  gl.linkProgram(program);gl.useProgram(program);
  const at=name=>gl.getUniformLocation(program,name),to={seen:at('seen'),model:at('model'),colour:at('colour'),light:at('light')},place=gl.getAttribLocation(program,'place'),normal=gl.getAttribLocation(program,'normal');
  const kept=new Map,loose=gl.createBuffer(),same=new Float32Array([1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1]);
  gl.enable(gl.DEPTH_TEST);gl.enable(gl.BLEND);gl.blendFuncSeparate(gl.SRC_ALPHA,gl.ONE_MINUS_SRC_ALPHA,gl.ONE,gl.ONE_MINUS_SRC_ALPHA);gl.enableVertexAttribArray(place);
  const paint=(buffer,kind,count,model,colour,lit)=>{gl.bindBuffer(gl.ARRAY_BUFFER,buffer);gl.vertexAttribPointer(place,3,gl.FLOAT,false,lit?24:12,0);
    if(lit){gl.enableVertexAttribArray(normal);gl.vertexAttribPointer(normal,3,gl.FLOAT,false,24,12)}else{gl.disableVertexAttribArray(normal);gl.vertexAttrib3f(normal,0,0,0)}
    gl.uniformMatrix4fv(to.model,false,model);gl.uniform4fv(to.colour,colour);gl.drawArrays(kind,0,count)};
  const thrown=(places,kind,colour)=>{gl.bindBuffer(gl.ARRAY_BUFFER,loose);gl.bufferData(gl.ARRAY_BUFFER,places,gl.DYNAMIC_DRAW);paint(loose,kind,places.length/3,same,colour,false)};
  return{depth:true,
    begin(seen,light,paper){gl.viewport(0,0,canvas.width,canvas.height);gl.clearColor(...paper,1);gl.clear(gl.COLOR_BUFFER_BIT|gl.DEPTH_BUFFER_BIT);gl.uniformMatrix4fv(to.seen,false,seen);gl.uniform3fv(to.light,light)},
    solid(data,model,colour){let b=kept.get(data);if(!b){kept.set(data,b=gl.createBuffer());gl.bindBuffer(gl.ARRAY_BUFFER,b);gl.bufferData(gl.ARRAY_BUFFER,data,gl.STATIC_DRAW)}paint(b,gl.TRIANGLES,data.length/6,new Float32Array(model),colour,true)},
    lines(places,colour,strip){thrown(places,strip?gl.LINE_STRIP:gl.LINES,colour)},
    sheet(places,colour){gl.depthMask(false);thrown(places,gl.TRIANGLES,colour);gl.depthMask(true)},
    show(){gl.flush()}}};
const flatPainter=canvas=>{const g=canvas.getContext('2d');let seen,light,parts=[];
  const css=(c,s=1)=>'rgba('+c.slice(0,3).map(x=>Math.round(255*Math.min(1,x*s))).join()+','+c[3]+')';
  const pixel=p=>{const w=seen[3]*p[0]+seen[7]*p[1]+seen[11]*p[2]+seen[15],m=moved(seen,p);return[(m[0]/w+1)/2*canvas.width,(1-m[1]/w)/2*canvas.height,w]};
  const way=(points,closed)=>{g.beginPath();points.forEach((p,i)=>i?g.lineTo(p[0],p[1]):g.moveTo(p[0],p[1]));if(closed)g.closePath()};
  return{depth:false,
    begin(s,l,paper){seen=s;light=l;parts=[];g.fillStyle=css([...paper,1]);g.fillRect(0,0,canvas.width,canvas.height)},
    solid(data,model,colour){for(let i=0;i<data.length;i+=18){const p=[0,6,12].map(k=>pixel(moved(model,[data[i+k],data[i+k+1],data[i+k+2]]))),n=unit(plus(moved(model,[data[i+3],data[i+4],data[i+5]]),[model[12],model[13],model[14]],-1));
      parts.push([p[0][2]+p[1][2]+p[2][2],()=>{way(p,true);g.fillStyle=g.strokeStyle=css(colour,.72+.32*dotted(n,light));g.lineWidth=.6;g.fill();g.stroke()}])}},
    lines(places,colour,strip){const p=[];for(let i=0;i<places.length;i+=3)p.push(pixel([places[i],places[i+1],places[i+2]]));g.strokeStyle=css(colour);g.lineWidth=1.4;
      if(strip){way(p);g.stroke()}else for(let i=0;i+1<p.length;i+=2){way([p[i],p[i+1]]);g.stroke()}},
    sheet(){},
    show(){parts.sort((a,b)=>b[0]-a[0]).forEach(p=>p[1]())}}};
)";

}  // namespace sparsedyn::report
