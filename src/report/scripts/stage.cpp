#include "report/scripts/scripts.hpp"

namespace sparsedyn::report {

// Time is in seconds and runs on between frames: places are interpolated, quaternions too, and made of length one again. The
// camera looks at what it follows from turn and tilt, far enough that all corners of all frames are seen, but for those of
// bodies that fly off. It follows the body that most of the mass stays near: the root, or of a robot that travels by prismatic
// joints the first body behind them. Near is four times as far as any corner is from the root at the start. A body that travels
// farther, as on a gantry, is in the whole motion, with which the page then begins. Where all bodies stay near the root, the
// root it is, at a cost of bodies × moments; otherwise each pair of bodies is compared, at fewer moments of many bodies, so
// that there are about four million comparisons.
const char* const stage_script = R"(
for(const stage of document.querySelectorAll('.stage')){
  const A=JSON.parse(stage.querySelector('script[type]').textContent),raw=bytesOf(A.frames),find=name=>stage.querySelector(name);
  const B=A.bodies.length,F=A.forces.length,N=7*B+6*F,T=A.times.length,first=A.times[0],final=A.times[T-1],canvas=find('canvas'),painter=painterOf(canvas);
  const slider=find('input'),play=find('.play'),said=find('output'),speed=find('.speed'),views=find('.views'),tip=document.body.appendChild(document.createElement('div'));tip.className='tip';
  const word=(k,i)=>raw.getInt16(2*(k*N+i),true),point=(k,i)=>[0,1,2].map(j=>word(k,i+j)*A.length),force=(k,f)=>[3,4,5].map(j=>word(k,7*B+6*f+j)*A.force);
  const turned=(k,b)=>unit([3,4,5,6].map(j=>word(k,7*b+j)));
  const spot=t=>{let a=0,b=T-1;while(b-a>1){const m=a+b>>1;A.times[m]<=t?a=m:b=m}const w=b>a?(t-A.times[a])/(A.times[b]-A.times[a]):0;return[a,b,Math.min(1,Math.max(0,w))]};
  const mixed=(a,b,w)=>a.map((x,i)=>x+(b[i]-x)*w);
  const pose=(t,b)=>{if(b<0)return{p:[0,0,0],q:[0,0,0,1]};const[k,l,w]=spot(t),q=turned(k,b);let r=turned(l,b);if(q.reduce((s,x,i)=>s+x*r[i],0)<0)r=r.map(x=>-x);return{p:mixed(point(k,7*b),point(l,7*b),w),q:unit(mixed(q,r,w))}};
  // what is drawn: shapes of links, and of bodies without one the box of their inertia
  const drawn=A.shapes.map(s=>{const data=new Float32Array(s.kind=='mesh'?triangles.mesh(s.size,A.meshes[s.mesh]):triangles[s.kind](s.size));return{...s,data,bounds:boundsOf(data),own:placed(s.pose.slice(0,3),s.pose.slice(3))}}).filter(s=>s.data.length);
  const boxes=A.bodies.map((b,i)=>b.corners.length==8?{body:i,link:b.name,data:new Float32Array(hull(b.corners)),bounds:b.corners,own:placed([0,0,0],[0,0,0,1])}:null);
  const shaped=new Set(drawn.map(s=>s.body)),bare=boxes.filter(s=>s&&!shaped.has(s.body)),solids=[...drawn,...bare];
  const mass=A.bodies.reduce((s,b)=>s+b.mass,0),centreAt=t=>A.bodies.reduce((s,b,i)=>{if(!b.mass)return s;const x=pose(t,i);return plus(s,plus(x.p,rotated(x.q,b.centre)),b.mass/mass)},[0,0,0]);
  const places=solids.length?k=>solids.flatMap(s=>{const x=pose(A.times[k],s.body),m=times4(placed(x.p,x.q),s.own);return s.bounds.map(c=>moved(m,c))}):k=>A.bodies.map((_,b)=>point(k,7*b));
  const owners=solids.length?solids.flatMap(s=>s.bounds.map(()=>s.body)):A.bodies.map((_,b)=>b),ownerOf=j=>owners[j];
  const box={low:[1e9,1e9,1e9],high:[-1e9,-1e9,-1e9]},take=p=>p.forEach((x,i)=>{box.low[i]=Math.min(box.low[i],x);box.high[i]=Math.max(box.high[i],x)});
  let own=.05,way=0;const leap=Math.max(1,Math.ceil(T/80)),seenAt=[];for(let k=0;k<T;k+=leap)seenAt.push(k);
  const start=B?point(0,0):[0,0,0],room=4*Math.max(.05,...places(0).map(p=>Math.hypot(...plus(p,start,-1))));
  const ways=seenAt.map(k=>A.bodies.map((_,b)=>point(k,7*b))),apart=(p,q)=>Math.hypot(...plus(p,q,-1)),close=(p,q)=>(p[0]-q[0])**2+(p[1]-q[1])**2+(p[2]-q[2])**2<room*room;
  const stays=(b,c,moments=ways)=>moments.every(at=>close(at[b],at[c])),weight=b=>A.bodies[b].mass+1e-6*(mass||1),heaviest=()=>{
    const every=Math.ceil(ways.length*B*B/8e6),moments=ways.filter((_,k)=>k%every==0||k==ways.length-1),near=A.bodies.map((_,b)=>weight(b));
    for(let b=0;b<B;b++)for(let c=0;c<b;c++)if(stays(b,c,moments)){near[b]+=weight(c);near[c]+=weight(b)}
    const peak=Math.max(...near);return near.findIndex(sum=>sum>peak*(1-1e-9))};
  const led=A.bodies.every((_,b)=>stays(b,0))?0:heaviest(),most=A.bodies.reduce((sum,_,b)=>sum+(stays(b,led)?weight(b):0),0),travel=b=>Math.max(0,...ways.map(at=>apart(at[b],ways[0][b])));
  if(B)way=travel(led);
  // a body that goes ten times as far, or ever faster, flies off; free fall goes 1, 3, 5, 7 in four equal times
  const quarters=[0,1,2,3,4].map(q=>Math.round(q*(ways.length-1)/4)),flies=b=>{const off=ways.map(at=>plus(at[b],at[led],-1)),d=[1,2,3,4].map(q=>apart(off[quarters[q]],off[quarters[q-1]]));
    return off.some(p=>Math.hypot(...p)>10*room)||[1,2,3].every(q=>d[q]>1.15*d[q-1])};
  const shown=A.bodies.map((_,b)=>stays(b,led)?2:flies(b)?0:1);  // beside what is followed; in the whole motion; in neither
  seenAt.forEach((k,i)=>places(k).forEach((p,j)=>{const b=ownerOf(j),far=B?apart(p,ways[i][led]):Math.hypot(...p);if((b<0||shown[b]==2)&&far<room||shown[b]==1)take(p);if((b<0?i==0:shown[b]==2)&&far<room)own=Math.max(own,far)}));
  for(let k=0;k<T;k+=leap)for(let f=0;f<F;f++)take(point(k,7*B+6*f));
  const all=mixed(box.low,box.high,.5),reachAll=Math.max(.05,Math.hypot(...plus(box.high,box.low,-1))/2);
  const left=A.bodies.reduce((sum,_,b)=>sum+(shown[b]==1?weight(b):0),0);let follows=way>.6*own&&left<.01*most;  // of a gantry the whole motion
  const angle=.5,reach=()=>1.06*(follows?own:reachAll);  // so that nothing touches the edge
  let turn=.9,tilt=.3,zoom=1,shift=[0,0,0],now=first,running=false,last=0,seen,eye,held=null,toggles={trails:true,axes:false,inertia:false};
  const style=name=>getComputedStyle(stage).getPropertyValue(name).trim(),rgb=h=>[1,3,5].map(i=>parseInt(h.slice(i,i+2),16)/255);
  let ink;const dip=()=>{ink={fg:rgb(style('--ink')),line:rgb(style('--soft')),bg:style('--bg').length==7?rgb(style('--bg')):[1,1,1],c:[...Array(8).keys()].map(k=>rgb(style('--c'+k)))}};dip();
  const tint=s=>{const b=s.body<0?null:A.bodies[s.body],c=!b||!b.limb?ink.c[7]:ink.c[(b.limb-1)%7],light=b&&b.depth%2?.34:.12;return[...c.map(x=>x+(1-x)*light),1]};
  const grid=plane=>{const m=plane.normal,least=m.map(Math.abs).indexOf(Math.min(...m.map(Math.abs))),e=unit([0,1,2].map(i=>(i==least?1:0)-m[i]*m[least])),f=crossed(m,e);return{...plane,e,f}},planes=A.planes.map(grid);
  const target=()=>plus(follows&&B?pose(now,led).p:all,shift);
  const draw=()=>{
    const W=canvas.clientWidth,H=Math.round(Math.min(W*.62,innerHeight*.65)),d=devicePixelRatio||1;canvas.style.height=H+'px';
    if(canvas.width!=Math.round(W*d)||canvas.height!=Math.round(H*d)){canvas.width=Math.round(W*d);canvas.height=Math.round(H*d)}
    const R=reach(),c=target(),back=[Math.cos(turn)*Math.cos(tilt),Math.sin(turn)*Math.cos(tilt),Math.sin(tilt)],away=R/Math.sin(angle/2)/zoom/Math.min(1,W/H);
    eye=plus(c,back,away);const right=[-Math.sin(turn),Math.cos(turn),0],up=crossed(back,right),near=away/40,far=away+40*R,g=1/Math.tan(angle/2);
    const view=[right[0],up[0],back[0],0,right[1],up[1],back[1],0,right[2],up[2],back[2],0,-dotted(right,eye),-dotted(up,eye),-dotted(back,eye),1];
    seen=times4([g*H/W,0,0,0,0,g,0,0,0,0,(far+near)/(near-far),-1,0,0,2*far*near/(near-far),0],view);
    painter.begin(seen,unit(plus(plus(back,up,.9),right,.35)),ink.bg);
    const rough=R/3,power=10**Math.floor(Math.log10(rough)),step=power*(rough<2*power?1:rough<5*power?2:5),n=Math.ceil(2*R/step);
    for(const s of planes){const along=a=>Math.round(dotted(a,plus(c,s.point,-1))/step),u=along(s.e),v=along(s.f),at=(i,j)=>plus(plus(s.point,s.e,step*(u+i)),s.f,step*(v+j)),out=[];
      for(let i=-n;i<=n;i++)out.push(...at(i,-n),...at(i,n),...at(-n,i),...at(n,i));painter.lines(new Float32Array(out),[...ink.line,.45]);s.sheet=new Float32Array([at(-n,-n),at(n,-n),at(n,n),at(-n,-n),at(n,n),at(-n,n)].flat())}
    const body=A.bodies.map((_,b)=>{const x=pose(now,b);return{...x,m:placed(x.p,x.q)}}),world={m:placed([0,0,0],[0,0,0,1])},of=b=>b<0?world:body[b];
    for(const s of solids)painter.solid(s.data,s.m=times4(of(s.body).m,s.own),tint(s));
    if(toggles.inertia)for(const s of boxes)if(s)painter.solid(s.data,of(s.body).m,[...ink.c[4],.35]);
    const bones=[];A.bodies.forEach((b,i)=>{if(b.parent>=0&&!(shaped.has(i)&&shaped.has(b.parent)))bones.push(...body[i].p,...body[b.parent].p)});if(bones.length)painter.lines(new Float32Array(bones),[...ink.fg,.9]);
    if(toggles.axes)body.forEach((x,i)=>{if(!A.bodies[i].turns)return;const half=.16*own,z=rotated(x.q,[0,0,half]);painter.solid(arrow.shaft,placed(plus(x.p,z,-1),x.q,[.006*R,.006*R,2*half]),[...ink.c[1],1])});
    if(toggles.trails)for(const t of trails())painter.lines(t.places.subarray(0,3*(spot(now)[0]+1)),t.colour(),true);
    const[k,l,w]=spot(now),thick=.009*R;
    for(let f=0;f<F;f++){const v=mixed(force(k,f),force(l,f),w).map(x=>x*R/2/A.unit),long=Math.hypot(...v);if(long<.01*R)continue;
      const p=mixed(point(k,7*B+6*f),point(l,7*B+6*f),w),q=turnTo(v.map(x=>x/long)),head=Math.min(long*.6,4*thick),colour=[...ink.c[1],1];
      painter.solid(arrow.shaft,placed(p,q,[thick,thick,long-head]),colour);painter.solid(arrow.head,placed(plus(p,v,1-head/long),q,[2.2*thick,2.2*thick,head]),colour)}
    for(const s of planes)painter.sheet(s.sheet,[...mixed(ink.bg,ink.line,.1),.5]);
    painter.show();
    slider.value=now;said.textContent=now.toFixed(3)+' s of '+final.toFixed(3)+' s'};
  let lines=null;const trails=()=>lines=lines||[...(mass?[{of:k=>centreAt(A.times[k]),colour:()=>[...ink.c[3],1]}]:[]),...A.forces.map((_,f)=>({of:k=>point(k,7*B+6*f),colour:()=>[...ink.c[2],.9]}))].map(t=>({...t,places:new Float32Array(Array.from({length:T},(_,k)=>t.of(k)).flat())}));
  const go=(t,tell=true)=>{now=Math.min(final,Math.max(first,t));draw();if(tell)document.dispatchEvent(new CustomEvent('moment',{detail:{t:now,by:'stage'}}))};
  const run=t=>{if(!running)return;go(now+(t-last)/1000*speed.value);last=t;if(now>=final)stop();else requestAnimationFrame(run)};
  const stop=()=>{running=false;play.textContent='▶ play'},begin=()=>{if(now>=final)now=first;running=true;play.textContent='❚❚ pause';last=performance.now();requestAnimationFrame(run)},turnPlay=()=>running?stop():begin();
  play.onclick=turnPlay;slider.oninput=()=>{stop();go(+slider.value)};
  document.addEventListener('moment',e=>{if(e.detail.by!='stage'){stop();go(e.detail.t,false)}});
  // by hand: one finger or the left button turns, two fingers or Shift or the right button shift; wheel and pinch zoom
  const pan=(dx,dy)=>{const s=2*reach()/zoom/canvas.clientHeight,right=[-Math.sin(turn),Math.cos(turn),0],back=[Math.cos(turn)*Math.cos(tilt),Math.sin(turn)*Math.cos(tilt),Math.sin(tilt)];shift=plus(plus(shift,right,-dx*s),crossed(back,right),dy*s)};
  const closer=by=>{zoom=Math.min(50,Math.max(.1,zoom*by));draw()},fingers=new Map;
  canvas.onpointerdown=e=>{fingers.set(e.pointerId,[e.clientX,e.clientY]);canvas.setPointerCapture(e.pointerId);tip.style.display='none'};
  canvas.onpointerup=canvas.onpointercancel=e=>fingers.delete(e.pointerId);canvas.oncontextmenu=e=>e.preventDefault();
  canvas.onpointermove=e=>{const was=fingers.get(e.pointerId);if(!was){hover(e);return}
    const dx=e.clientX-was[0],dy=e.clientY-was[1],other=[...fingers].find(([id])=>id!=e.pointerId);
    if(other){const o=other[1],before=Math.hypot(was[0]-o[0],was[1]-o[1]),after=Math.hypot(e.clientX-o[0],e.clientY-o[1]);if(before>0)zoom=Math.min(50,Math.max(.1,zoom*after/before));pan(dx/2,dy/2)}
    else if(e.shiftKey||e.buttons&6)pan(dx,dy);
    else{turn-=dx/160;tilt=Math.max(-1.5,Math.min(1.5,tilt+dy/160));views.value=''}
    fingers.set(e.pointerId,[e.clientX,e.clientY]);draw()};
  canvas.addEventListener('wheel',e=>{if(document.activeElement!=canvas&&!e.ctrlKey)return;e.preventDefault();closer(Math.exp(-e.deltaY/500))},{passive:false});
  const looks={corner:[.9,.3],front:[0,0],left:[quarter,0],top:[0,1.5]};
  views.onchange=()=>{[turn,tilt]=looks[views.value];shift=[0,0,0];zoom=1;draw()};
  stage.querySelectorAll('.zoom').forEach(b=>b.onclick=()=>closer(+b.value));
  const pressed=(b,on)=>b.setAttribute('aria-pressed',on);
  stage.querySelectorAll('[data-toggle]').forEach(b=>{const name=b.dataset.toggle;pressed(b,name=='follow'?follows:toggles[name]);b.onclick=()=>{const on=b.getAttribute('aria-pressed')!='true';pressed(b,on);if(name=='follow'){follows=on;shift=[0,0,0]}else toggles[name]=on;draw()}});
  // the nearest triangle along the pointer's ray
  const ray=e=>{const r=canvas.getBoundingClientRect(),x=(e.clientX-r.x)/r.width*2-1,y=1-(e.clientY-r.y)/r.height*2,t=Math.tan(angle/2),back=[Math.cos(turn)*Math.cos(tilt),Math.sin(turn)*Math.cos(tilt),Math.sin(tilt)],right=[-Math.sin(turn),Math.cos(turn),0];
    return unit(plus(plus(back.map(v=>-v),right,x*t*r.width/r.height),crossed(back,right),y*t))};
  const hit=e=>{const d=ray(e);let best=Infinity,name='';for(const s of solids){if(!s.m)continue;const m=s.m,inv=v=>[dotted(m.slice(0,3),v),dotted(m.slice(4,7),v),dotted(m.slice(8,11),v)],o=inv(plus(eye,[m[12],m[13],m[14]],-1)),r=inv(d),v=s.data;
      for(let i=0;i<v.length;i+=18){const a=[v[i],v[i+1],v[i+2]],p=plus([v[i+6],v[i+7],v[i+8]],a,-1),q=plus([v[i+12],v[i+13],v[i+14]],a,-1),h=crossed(r,q),det=dotted(p,h);if(Math.abs(det)<1e-14)continue;
        const z=plus(o,a,-1),u=dotted(z,h)/det;if(u<0||u>1)continue;const w=crossed(z,p),x=dotted(r,w)/det;if(x<0||u+x>1)continue;const far=dotted(q,w)/det;if(far>0&&far<best){best=far;name=s.link}}}return name};
  const hover=e=>{if(running)return;const name=hit(e);tip.textContent=name;tip.style.display=name?'block':'none';tip.style.left=Math.min(e.clientX+14,innerWidth-tip.offsetWidth-6)+'px';tip.style.top=e.clientY+14+'px'};
  canvas.onpointerleave=()=>tip.style.display='none';
  const speeds=[...speed.options].map(o=>o.value),faster=by=>{const k=Math.min(speeds.length-1,Math.max(0,speeds.indexOf(speed.value)+by));speed.value=speeds[k]};
  stage.addEventListener('keydown',e=>{if(e.ctrlKey||e.metaKey||e.altKey)return;if(e.target!=canvas&&e.key!=' '||/^(BUTTON|SELECT|INPUT)$/.test(e.target.tagName))return;
    const frame=(final-first)/Math.max(1,T-1),by=(e.shiftKey?10:1)*frame,does={' ':turnPlay,ArrowLeft:()=>{stop();go(now-by)},ArrowRight:()=>{stop();go(now+by)},ArrowUp:()=>faster(1),ArrowDown:()=>faster(-1),Home:()=>{stop();go(first)},End:()=>{stop();go(final)},'+':()=>closer(1.3),'-':()=>closer(.77)}[e.key];
    if(does){e.preventDefault();does()}});
  new ResizeObserver(draw).observe(canvas);addEventListener('resize',draw);matchMedia('(prefers-color-scheme: dark)').addEventListener('change',()=>{dip();draw()});
  stage.placeOf=b=>pose(now,b).p;
  stage.state=()=>({now,turn,tilt,zoom,shift,running,follows,reach:reach(),depth:painter.depth,speed:+speed.value,fits:solids.every(s=>s.bounds.every(c=>{const p=moved(s.m,c),w=seen[3]*p[0]+seen[7]*p[1]+seen[11]*p[2]+seen[15],x=moved(seen,p);return Math.abs(x[0]/w)<.97&&Math.abs(x[1]/w)<.97}))});
  const from=+(new URLSearchParams(location.search).get('t')||0);
  go(from||first);if(!from&&!matchMedia('(prefers-reduced-motion: reduce)').matches)begin();
}
)";

}  // namespace sparsedyn::report
