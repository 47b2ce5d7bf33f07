#include "report/scripts/scripts.hpp"

namespace sparsedyn::report {

// What the pointer tells on curves and matrices.
const char* const pointer_script = R"(
const tip=document.body.appendChild(Object.assign(document.createElement('div'),{id:'tip'}));
const say=(e,text)=>{tip.textContent=text;tip.style.display=text?'block':'none';
  tip.style.left=Math.max(4,Math.min(e.clientX+14,innerWidth-tip.offsetWidth-6))+'px';tip.style.top=Math.max(4,e.clientY+14+tip.offsetHeight>innerHeight?e.clientY-tip.offsetHeight-10:e.clientY+14)+'px'};
const place=(svg,e)=>new DOMPoint(e.clientX,e.clientY).matrixTransform(svg.getScreenCTM().inverse());
document.addEventListener('pointerdown',e=>{if(!e.target.closest('svg'))tip.style.display='none'});
for(const svg of document.querySelectorAll('svg.hover')){
  const curves=[...svg.querySelectorAll('[data-of]')].map(p=>({name:p.dataset.name,of:p.dataset.of.split(' '),at:[...p.getAttribute('d').matchAll(/[ML]([-\d.]+) ([-\d.]+)/g)].map(m=>[+m[1],+m[2]])}));
  const show=e=>{const p=place(svg,e);let best=400,text='';
    for(const c of curves)if(c.of.length==c.at.length)c.at.forEach((a,k)=>{const d=(a[0]-p.x)**2+(a[1]-p.y)**2;
      if(d<best-1){best=d;text=c.name+': '+c.of[k].replace(',', ', ')}else if(d<=best+1&&d<400&&!text.includes(c.name+':'))text+='\n'+c.name+': '+c.of[k].replace(',', ', ')});
    say(e,text)};
  svg.addEventListener('pointermove',show);svg.addEventListener('pointerdown',show);svg.addEventListener('pointerleave',()=>say({clientX:0,clientY:0},''));
}
for(const figure of document.querySelectorAll('.spy')){
  const svg=figure.querySelector('svg'),rows=svg.dataset.rows.split('\n'),columns=svg.dataset.columns.split('\n'),W=columns.length,H=rows.length,make=(name,of,set)=>{
    const x=of.appendChild(document.createElementNS('http://www.w3.org/2000/svg',name));for(const k in set)x.setAttribute(k,set[k]);return x};
  const cross={fill:'#f5a623',opacity:.3,'pointer-events':'none',width:0,height:0},across=make('rect',svg,cross),down=make('rect',svg,cross);
  const put=(x,set)=>{for(const k in set)x.setAttribute(k,set[k])};
  const layers=[...svg.querySelectorAll('path')].map(path=>({path,name:path.dataset.name,cells:[...path.getAttribute('d').matchAll(/M(\d+) (\d+)h(\d+)/g)].flatMap(m=>[...Array(+m[3]).keys()].map(k=>[+m[2],+m[1]+k]))}));
  const what=new Map();layers.forEach(l=>l.cells.forEach(([r,c])=>what.set(r*W+c,l.name)));
  const show=e=>{const p=place(svg,e),r=Math.floor(p.y),c=Math.floor(p.x);if(!(r in rows&&c in columns))return;
    put(across,{x:0,y:r,width:W,height:1});put(down,{x:c,y:0,width:1,height:H});at=[c+.5,r+.5];
    say(e,[rows[r]&&'row '+(r+1)+': '+rows[r],columns[c]&&'column '+(c+1)+': '+columns[c],what.get(r*W+c)].filter(x=>x).join('\n')||(r+1)+', '+(c+1))};
  let at=[W/2,H/2],zoom=1;
  svg.addEventListener('pointermove',show);svg.addEventListener('pointerdown',show);
  svg.addEventListener('pointerleave',e=>{if(e.pointerType=='mouse'){tip.style.display='none';put(across,{width:0});put(down,{width:0})}});
  const look=by=>{zoom=by?Math.min(Math.max(W,H)/8,Math.max(1,zoom*by)):1;const w=W/zoom,h=H/zoom;
    svg.setAttribute('viewBox',[Math.max(0,Math.min(W-w,at[0]-w/2)),Math.max(0,Math.min(H-h,at[1]-h/2)),w,h].join(' '))};
  const tools=figure.querySelector('.tools');
  [['+','larger, around the cell last touched',2],['−','smaller',.5],['whole','the whole matrix',0]].forEach(([text,title,by])=>{
    const b=tools.appendChild(document.createElement('button'));b.type='button';b.textContent=text;b.title=title;b.onclick=()=>look(by)});
  if(svg.dataset.eliminated!==undefined){
    const n=Math.min(W,H),born=new Map(),left=[],right=[];for(let k=0;k<n;k++){left.push(new Set);right.push(new Set)}
    const has=(r,c)=>r>c?left[c].has(r):right[r].has(c),add=(r,c,k)=>{if(r==c||has(r,c))return;r>c?left[c].add(r):right[r].add(c);born.set(r*W+c,k)};
    layers.forEach(l=>{if(!l.name.startsWith('fill'))l.cells.forEach(([r,c])=>add(r,c,0))});
    for(let k=0;k<n;k++)for(const r of left[k])for(const c of right[k])add(r,c,k+1);
    const slider=tools.appendChild(Object.assign(document.createElement('input'),{type:'range',min:0,max:n,value:n,ariaLabel:'steps of the elimination'})),said=tools.appendChild(document.createElement('output'));
    layers.forEach(l=>{l.past=make('path',svg,{class:l.path.getAttribute('class')+' done'});svg.insertBefore(l.past,across)});
    const d=cells=>cells.map(([r,c])=>'M'+c+' '+r+'h1v1h-1z').join('');
    const step=()=>{const s=+slider.value,whole=s==n;
      layers.forEach(l=>{const seen=l.cells.filter(([r,c])=>(born.get(r*W+c)||0)<=s);
        l.path.setAttribute('d',d(whole?seen:seen.filter(([r,c])=>Math.min(r,c)>=s)));l.past.setAttribute('d',whole?'':d(seen.filter(([r,c])=>Math.min(r,c)<s)))});
      put(across,{x:0,y:s,width:whole?0:W,height:1});put(down,{x:s,y:0,width:whole?0:1,height:H});
      const come=[...born.values()].filter(k=>k&&k<=s).length;
      said.textContent=(s?'After step '+s+' of '+n+' (“'+rows[s-1]+'” gave “'+columns[s-1]+'”)':'Before the first of '+n+' steps')+': '+come+(come==1?' entry':' entries')+' of fill-in so far.'};
    slider.addEventListener('input',step);said.textContent='Move the slider to follow the '+n+' steps of the elimination.'}
}
)";

}  // namespace sparsedyn::report
