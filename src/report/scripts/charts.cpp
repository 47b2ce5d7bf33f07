#include "report/scripts/scripts.hpp"

namespace sparsedyn::report {

// Each chart keeps the extremes of its stretches in a pyramid: level k joins 2ᵏ of them, NaN where none holds a number. What is
// drawn is the finest level with no more stretches than the view has pixels. A moment, a time that is looked at, is told to all
// by an event, and so moves the animation too.
const char* const charts_script = R"(
(()=>{
const svgs=[...document.querySelectorAll('svg[data-chart]')],none=16777215,pixels=700,ruler=document.createElement('canvas').getContext('2d');
const make=(of,name,set={},text)=>{const x=of.appendChild(document.createElementNS(svgs[0].namespaceURI,name));for(const k in set)x.setAttribute(k,set[k]);if(text!==undefined)x.textContent=text;return x};
const words=text=>{const s=atob(text.replace(/\./g,'n')),out=new Float64Array(s.length/3);for(let i=0;i<out.length;i++)out[i]=s.charCodeAt(3*i)<<16|s.charCodeAt(3*i+1)<<8|s.charCodeAt(3*i+2);return out};
const mix=([a,b],u)=>a*(1-u)+b*u,numbers=(text,range)=>words(text).map(u=>u==none?NaN:mix(range,u/(none-1)));
const least=(x,y)=>x<y||y!==y?x:y,most=(x,y)=>x>y||y!==y?x:y;
const halved=({low,high})=>{const n=Math.ceil(low.length/2),a=new Float64Array(n),b=new Float64Array(n);
  for(let k=0;k<n;k++){const i=2*k,j=Math.min(i+1,low.length-1);a[k]=least(low[i],low[j]);b[k]=most(high[i],high[j])}return{low:a,high:b}};
const digits=(x,n=5)=>x!==x?'–':String(+x.toPrecision(n)).replace('-','−'),short=x=>digits(x,4);
const raised=e=>String(e).replace(/./g,c=>'⁰¹²³⁴⁵⁶⁷⁸⁹'[c]||'⁻'),spaced=text=>text.replace(/^-/,'−').replace(/\d(?=(\d{3})+(\.|$))/g,(d,_,__,at,all)=>all.slice(0,at).includes('.')?d:d+'\u202f');
const fine=(x,step)=>{const size=Math.abs(x);if(size<step*1e-6)return'0';
  if(size<1e5&&step>=1e-6)return spaced(x.toFixed(Math.max(0,-Math.floor(Math.log10(step)+1e-9))));
  const e=Math.floor(Math.log10(size)+1e-9),m=+(x/10**e).toPrecision(Math.min(15,Math.max(3,Math.ceil(Math.log10(size/step))+1)));
  return((m==1?'':m==-1?'−':m+'·')+'10'+raised(e)).replace(/^-/,'−')};
const ticks=(a,b,count)=>{const rough=(b-a)/count,power=10**Math.floor(Math.log10(rough)),share=rough/power,step=power*(share<=1?1:share<=2?2:share<=5?5:10),all=[];
  if(!(step>0&&isFinite(step)))return{step:1,all:[a]};for(let k=Math.ceil(a/step-1e-9);k*step<=b+1e-9*step;k++)all.push(k*step);return{step,all}};

class Chart{
  constructor(svg){this.svg=svg;this.given=JSON.parse(svg.dataset.chart);svg.removeAttribute('data-chart');svg.setAttribute('data-chart','');
    [this.left,this.right,this.top,this.bottom]=this.given.frame;this.view=this.given.wide;this.hidden=new Set;this.still=svg.querySelector('.still');
    this.near=null;this.up=0;this.cursor=make(svg,'g',{class:'cursor'});this.listen()}
  get series(){if(!this.known)this.known=this.given.series.map(s=>{const low=numbers(s.low,s.range),high=s.high===undefined?low:numbers(s.high,s.range);return{name:s.name,key:s.key,range:s.range,levels:[{low,high}]}});return this.known}
  get times(){if(!this.at){const{span,count,times}=this.given;
      if(times){const w=words(times);this.at=Float64Array.from({length:count},(_,k)=>mix(span,(w[2*k]+w[2*k+1]/(none-1))/(none-1)))}
      else this.at=Float64Array.from({length:count},(_,k)=>count>1?mix(span,k/(count-1)):span[0])}return this.at}
  get whole(){return this.view===this.given.wide}
  marks(name){return numbers(this.given[name],this.given.span)}
  level(series,k){while(series.levels.length<=k)series.levels.push(halved(series.levels[series.levels.length-1]));return series.levels[k]}
  shown(){return this.series.filter(s=>!this.hidden.has(s.key))}
  // the last stretch that begins at t or before it; of single rows the nearest
  place(t){const x=this.times;let a=0,b=x.length;while(b-a>1){const m=a+b>>1;x[m]<=t?a=m:b=m}
    return this.given.stride==1&&a+1<x.length&&x[a+1]-t<t-x[a]?a+1:a}
  x(t){return this.left+(t-this.view[0])/(this.view[1]-this.view[0])*(this.right-this.left)}
  time(x){return mix(this.view,Math.min(1,Math.max(0,(x-this.left)/(this.right-this.left))))}
  look(view){this.view=view||this.given.wide;this.draw();this.point(this.moment)}
  draw(){
    if(this.near)this.near.remove();this.still.style.display='none';
    const [a,b]=this.view,times=this.times,first=Math.max(0,this.place(a)-2),last=Math.min(times.length-1,this.place(b)+2);
    let k=0;while((last-first>>k)>pixels)k++;
    const from=first>>k,to=last>>k,drawn=this.shown().map(s=>({key:s.key,of:this.level(s,k)}));
    let low=Infinity,high=-Infinity;
    if(this.whole||this.given.spans)[low,high]=this.given.tall;
    else for(const s of drawn)for(let i=from;i<=to;i++){low=Math.min(low,least(s.of.low[i],Infinity));high=Math.max(high,most(s.of.high[i],-Infinity))}
    if(!(low<=high))[low,high]=this.given.tall;
    for(const l of this.given.levels)if(l>=this.given.tall[0]&&l<=this.given.tall[1]){low=Math.min(low,l);high=Math.max(high,l)}
    if(high-low<=1e-9*Math.max(Math.abs(low),Math.abs(high))){const room=Math.abs(high)*.1||1;low-=room;high+=room}
    const tall=this.given.spans?{step:1,all:[]}:ticks(low,high,4),wide=ticks(a,b,5),room=this.whole||this.given.spans?0:(high-low)*.04;low-=room;high+=room;
    const y=v=>this.bottom-(v-low)/(high-low)*(this.bottom-this.top),g=this.near=make(this.svg,'g',{class:'near'});this.svg.insertBefore(g,this.cursor);
    const d=[...wide.all.map(t=>'M'+this.x(t).toFixed(1)+' '+this.bottom+'V'+this.top),...tall.all.map(v=>'M'+this.left+' '+y(v).toFixed(1)+'H'+this.right)].join('');
    make(g,'path',{class:'grid',d});
    for(const t of wide.all)make(g,'text',{x:this.x(t).toFixed(1),y:this.bottom+16,'text-anchor':'middle',class:'soft'},fine(t,wide.step));
    for(const v of tall.all)make(g,'text',{x:this.left-6,y:(y(v)+4).toFixed(1),'text-anchor':'end',class:'soft'},fine(v,tall.step));
    make(g,'path',{class:'axis',d:'M'+this.left+' '+this.top+'V'+this.bottom+'H'+this.right});
    make(g,'text',{x:0,y:11,class:'unit'},this.given.unit);make(g,'text',{x:this.right,y:this.bottom+33,'text-anchor':'end'},this.given.x);
    const w=this.right-this.left,h=this.bottom-this.top+8,inside=make(g,'svg',{x:this.left,y:this.top-8,width:w,height:h,viewBox:[2*this.left,2*this.top-16,2*w,2*h].join(' ')});
    const spot=(t,v)=>(2*this.x(t)).toFixed(1)+' '+(2*y(v)).toFixed(1);
    const amid=i=>{const at=j=>times[Math.min(j<<k,times.length-1)];return this.given.stride==1&&k==0?at(i):(at(i)+at(i+1))/2};
    const bars=(name,up,down)=>{if(this.hidden.has(name))return;const d=[...this.marks(name)].filter(t=>t>=a&&t<=b).map(t=>'M'+(2*this.x(t)).toFixed(1)+' '+2*up+'V'+2*down).join('');if(d)make(inside,'path',{class:name,'data-key':name,d})};
    if(!this.hidden.has('gaps')){const ends=this.marks('gaps');let d='';
      for(let i=0;i+1<ends.length;i+=2)if(ends[i+1]>=a&&ends[i]<=b){const at=t=>(2*Math.min(this.right,Math.max(this.left,this.x(t)))).toFixed(1);d+='M'+at(ends[i])+' '+2*this.top+'V'+2*this.bottom+'H'+at(ends[i+1])+'V'+2*this.top+'Z'}
      if(d)make(inside,'path',{class:'gaps','data-key':'gaps',d})}
    for(const l of this.given.levels)make(inside,'path',{class:'level',d:'M'+2*this.left+' '+(2*y(l)).toFixed(1)+'H'+2*this.right});
    for(const {key,of} of drawn){const line=key!='band'&&k==0&&this.given.stride==1&&!this.given.spans;let d='',run=[];
      const close=()=>{if(!run.length)return;
        if(line)d+='M'+run.map(i=>spot(times[i],of.low[i])).join('L')+(run.length==1?'h.1':'');
        else d+='M'+run.map(i=>spot(amid(i),of.high[i])).join('L')+'L'+run.reverse().map(i=>spot(amid(i),of.low[i])).join('L')+'Z';run=[]};
      for(let i=from;i<=to;i++)of.low[i]===of.low[i]&&of.high[i]===of.high[i]?run.push(i):close();close();
      if(d)make(inside,'path',{class:key=='band'?'band':(line?'line fine ':'envelope ')+key,'data-key':key,d})}
    bars('outliers',this.top-7,this.top-1);
    if(this.given.spans)for(const s of this.shown())make(g,'text',{x:this.left+4,y:(y(s.range[1])-4).toFixed(1)},s.name);
  }
  // what is known at t: of a series its value, of the band ± half of its width; of several rows their extremes
  said(t){const k=this.place(t),out=[{text:digits(this.given.stride==1?this.times[k]:t,7)+(this.given.x.endsWith('(s)')?' s':'')}];
    for(const s of this.shown().reverse()){const{low,high}=s.levels[0];
      if(this.given.spans){if(low[k]===low[k])out.push({key:s.key,text:s.name})}
      else if(s.key=='band')out.push({band:1,text:this.given.stride==1?'± '+digits((high[k]-low[k])/2):'± 2σ '+short(low[k])+' … '+short(high[k])});
      else out.push({key:s.key,name:s.name,text:s.name+' '+(low[k]===high[k]||low[k]!==low[k]?digits(low[k]):short(low[k])+' … '+short(high[k]))})}
    const band=out.findIndex(x=>x.band);
    if(band>0&&this.given.stride==1){const b=out.splice(band,1)[0],main=out.find(x=>x.key=='c0');main?main.text+=' '+b.text:out.push(b)}
    return out}
  point(t){this.moment=t;this.cursor.textContent='';const unit=this.svg.querySelector('.near .unit');if(unit)unit.style.visibility='';
    if(t===null||t===undefined||!(t>=this.view[0]&&t<=this.view[1]))return;
    const at=this.given.stride==1?this.times[this.place(t)]:t,x=this.x(at).toFixed(1);make(this.cursor,'path',{d:'M'+x+' '+this.top+'V'+this.bottom});
    const{rows,brief,last}=this.rows(this.said(t));this.room(rows.length);
    rows.forEach((some,r)=>{const text=make(this.cursor,'text',{class:'said',x:this.right,y:this.top-11-this.line*(rows.length-1-r),'text-anchor':'end'});
      some.forEach((one,i)=>make(text,'tspan',{class:one.key||'',dx:i?8:0},brief&&one.name?one.text.slice(one.name.length+1):one.text))});
    if(unit&&last+unit.getComputedTextLength()>this.right-8)unit.style.visibility='hidden'}
  // all in one row; else without names, which the key tells by colour, in as many rows as it takes, the last of them so long
  rows(all){const style=getComputedStyle(this.near.querySelector('text'));ruler.font=style.font;this.line=1.25*parseFloat(style.fontSize);const most=this.right-2,wide=brief=>all.map(one=>ruler.measureText(brief&&one.name?one.text.slice(one.name.length+1):one.text).width+8);
    const named=wide(false).reduce((a,b)=>a+b,-8);if(named<=most)return{rows:[all],brief:false,last:named};
    const rows=[[]];let last=-8;wide(true).forEach((w,i)=>{if(rows.at(-1).length&&last+w>most){rows.push([]);last=-8}rows.at(-1).push(all[i]);last+=w});
    return{rows,brief:true,last}}
  // rows that are said stand above the frame: the picture grows by them, in all charts beside this one
  room(n){const grid=this.svg.closest('.beside'),beside=grid&&getComputedStyle(grid).gridTemplateColumns.includes(' ')&&grid;for(const c of charts)if(c==this||beside&&beside.contains(c.svg))c.grow(n,this.line)}
  grow(n,line){const{width,height}=this.svg.viewBox.baseVal,up=22-this.top+line*(n-1)-this.up;if(up<=0)return;
    this.up+=up;this.svg.setAttribute('viewBox',[0,-this.up,width,height+up].join(' '))}
  // the rows that the longest of some moments takes
  expected(){const at=this.times,all=Array.from({length:9},(_,k)=>this.said(at[Math.round(k/8*(at.length-1))])),size=words=>words.reduce((sum,one)=>sum+one.text.length,0);
    return this.rows(all.reduce((a,b)=>size(b)>size(a)?b:a)).rows.length}
  listen(){const svg=this.svg;let from=null,box=null;
    const spot=e=>new DOMPoint(e.clientX,e.clientY).matrixTransform(svg.getScreenCTM().inverse());
    const drop=()=>{if(box)box.remove();from=box=null};
    svg.addEventListener('pointerdown',e=>{if(e.button)return;from=spot(e).x;svg.setPointerCapture(e.pointerId);e.preventDefault();svg.classList.add('touched');svg.focus({preventScroll:true})});
    svg.addEventListener('pointermove',e=>{const x=spot(e).x;pointed(this,this.time(x));
      if(from===null||Math.abs(x-from)<5)return;box=box||make(svg,'rect',{class:'chosen',y:this.top,height:this.bottom-this.top});
      const a=Math.max(this.left,Math.min(from,x)),b=Math.min(this.right,Math.max(from,x));box.setAttribute('x',a);box.setAttribute('width',Math.max(0,b-a))});
    svg.addEventListener('pointerup',e=>{if(from===null)return;const x=spot(e).x,a=this.time(Math.min(from,x)),b=this.time(Math.max(from,x)),wide=Math.abs(x-from)>=5;drop();
      if(wide)looked(this,[a,b]);else told(this.time(x),'chart')});
    svg.addEventListener('pointercancel',drop);
    svg.addEventListener('pointerleave',()=>{if(from===null)pointed(this,null)});
    svg.addEventListener('dblclick',()=>looked(this,null));
    svg.addEventListener('keydown',e=>{if(e.ctrlKey||e.metaKey||e.altKey)return;svg.classList.remove('touched');const t=this.moment??rest??mix(this.view,.5),k=this.place(t),by=e.shiftKey?10:1,go=i=>told(this.times[Math.max(0,Math.min(this.times.length-1,i))],'chart');
      const wide=s=>{const w=(this.view[1]-this.view[0])*s;looked(this,[t-w/2,t+w/2])};
      const does={ArrowLeft:()=>go(k-by),ArrowRight:()=>go(k+by),Home:()=>go(0),End:()=>go(this.times.length-1),'+':()=>wide(.5),'=':()=>wide(.5),'-':()=>wide(2),'0':()=>looked(this,null),Escape:()=>looked(this,null)}[e.key];
      if(does){e.preventDefault();does()}})}
}
const charts=svgs.map(svg=>new Chart(svg)),like=of=>charts.filter(c=>c.given.x==of.given.x);
let rest=null;  // where the animation stands, or where was clicked last
const pointed=(of,t)=>like(of).forEach(c=>c.point(t===null?rest:t));
const told=(t,by)=>document.dispatchEvent(new CustomEvent('moment',{detail:{t,by}}));
document.addEventListener('moment',e=>{rest=e.detail.t;charts.filter(c=>c.given.x.endsWith('(s)')||e.detail.by=='chart').forEach(c=>c.point(rest))});
const looked=(of,view)=>{const[a,b]=of.given.wide;
  if(view){view=[Math.max(a,view[0]),Math.min(b,view[1])];const at=of.times,least=at.length>1?(b-a)/at.length*3:0;if(view[1]-view[0]<least)view=[view[0]-least/2,view[1]+least/2];if(view[0]<=a&&view[1]>=b)view=null}
  like(of).forEach(c=>c.look(view&&[...view]));tell(of)};
const cell=text=>/[",\n]/.test(text)?'"'+text.replace(/"/g,'""')+'"':text,plain=(x,digits)=>x===x?String(+x.toPrecision(digits)):'';
// 1e-8 of the range, however far from zero it lies
const digitsOf=([a,b])=>b>a?Math.min(17,Math.ceil(8+Math.max(0,Math.log10(Math.max(Math.abs(a),Math.abs(b))/(b-a))))):17;
const save=()=>{const groups=new Map;
  for(const c of charts){const key=[c.given.x,c.given.count,c.given.span,c.given.stride].join();groups.has(key)||groups.set(key,[]);groups.get(key).push(c)}
  let n=0;for(const of of groups.values()){const[a,b]=of[0].view,times=of[0].times,columns=[];
    for(const c of of)for(const s of c.shown()){const{low,high}=s.levels[0],name=c.given.title+': '+s.name+(c.given.unit?' ('+c.given.unit+')':'');
      const digits=digitsOf(s.range);if(c.given.spans)columns.push([name,low.map(v=>v===v?1:0),1]);else if(low===high)columns.push([name,low,digits]);else columns.push([name+' low',low,digits],[name+' high',high,digits])}
    const rows=[[of[0].given.x,...columns.map(c=>c[0])].map(cell).join()];
    times.forEach((t,k)=>{if(t>=a&&t<=b)rows.push([String(+t.toPrecision(12)),...columns.map(c=>plain(c[1][k],c[2]))].join())});
    const text=rows.join('\n')+'\n',name='shown'+(n++?'-'+n:'')+'.csv',link=document.createElement('a');
    const place=URL.createObjectURL(new Blob([text],{type:'text/csv'}));link.setAttribute('href',place);link.download=name;link.click();setTimeout(()=>URL.revokeObjectURL(place),9999);
    document.dispatchEvent(new CustomEvent('saved',{detail:{name,text}}))}};
const bar=document.createElement('div');bar.className='tools charts';
const button=(text,title,does)=>{const b=bar.appendChild(document.createElement('button'));b.type='button';b.textContent=text;b.title=title;b.onclick=does;return b};
const back=button('whole time','all charts from the first to the last row',()=>charts.forEach(c=>c.whole||looked(c,null)));
button('save what is shown as CSV','the numbers of all charts in the time that is shown, to seven digits of their range',save);
const output=bar.appendChild(document.createElement('output'));
const tell=of=>{back.disabled=of.whole;const s=of.given.stride;
  output.textContent=(of.whole?'Drag across a chart to look closer, double-click for the whole time; click to stay at a moment.':digits(of.view[0],7)+' to '+digits(of.view[1],7)+(of.given.x.endsWith('(s)')?' s.':' .'))+(s>1?' Drawn are the extremes of every '+s+' rows or more.':'')};
const ground=svgs[0].closest('.beside')||svgs[0].closest('figure');ground.before(bar);tell(charts[0]);charts.forEach(c=>c.draw());charts.forEach(c=>c.room(c.expected()));
// a key within a figure governs its chart; another those that follow it, until the next
const loose=[...document.querySelectorAll('.key:has(>[data-key])')].filter(k=>!k.closest('figure')),follows=(a,b)=>a.compareDocumentPosition(b)&4;
const governed=key=>{const figure=key.closest('figure');if(figure)return charts.filter(c=>figure.contains(c.svg));
  const from=key.closest('.key'),to=loose[loose.indexOf(from)+1];return charts.filter(c=>!c.svg.closest('figure').querySelector('.key')&&follows(from,c.svg)&&!(to&&follows(to,c.svg)))};
for(const key of document.querySelectorAll('.key>[data-key]')){
  const of=governed(key);
  key.setAttribute('role','button');key.tabIndex=0;key.setAttribute('aria-pressed','true');key.title='show or hide';
  const turn=()=>{const on=key.getAttribute('aria-pressed')!='true';key.setAttribute('aria-pressed',on);
    of.forEach(c=>{on?c.hidden.delete(key.dataset.key):c.hidden.add(key.dataset.key);c.draw();c.point(c.moment)})};
  key.onclick=turn;key.onkeydown=e=>{if(e.key=='Enter'||e.key==' '){e.preventDefault();turn()}}}
})();
)";

}  // namespace sparsedyn::report
