#include "animation.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "io/printable.hpp"
#include "report/base64.hpp"
#include "sparsedyn/report/page.hpp"

namespace sparsedyn::report {
namespace {

constexpr double widest = 32767;  // of 16 bits

/// Text inside a <script>: JSON, and no tag may end it.
std::string quoted(const std::string& text) { return json_quoted(text, "<>&"); }

template <class List, class Write>
std::string listed(const List& list, Write write) {
  std::string out = "[";
  for (const auto& x : list) out += (out.size() > 1 ? "," : "") + write(x);
  return out + "]";
}

/// What one of 16 bits stands for, by the place of a number in its frame.
struct Units {
  double length = 1, force = 1;
  double of(std::size_t place, std::size_t bodies) const {
    if (place < 7 * bodies) return place % 7 < 3 ? length : 1 / widest;
    return (place - 7 * bodies) % 6 < 3 ? length : force;
  }
};

Units units_of(const Animation& shown) {
  double far = 0, strong = 0;
  const std::size_t n = shown.numbers();
  for (std::size_t i = 0; i < shown.frames.size(); ++i) {
    const std::size_t place = i % n, of_forces = place - std::min(place, 7 * shown.bodies.size());
    const double size = std::abs(shown.frames[i]);
    if (place < 7 * shown.bodies.size() ? place % 7 < 3 : of_forces % 6 < 3)
      far = std::max(far, size);
    else if (place >= 7 * shown.bodies.size())
      strong = std::max(strong, size);
  }
  return {(far > 0 ? far : 1) / widest, (strong > 0 ? strong : 1) / widest};  // of nothing any unit will do
}

std::string packed(const Animation& shown, const Units& units) {
  std::string bytes;
  const std::size_t n = shown.numbers();
  for (std::size_t i = 0; i < shown.frames.size(); ++i) {
    const double x = std::round(shown.frames[i] / units.of(i % n, shown.bodies.size()));
    const auto word = static_cast<std::uint16_t>(static_cast<std::int16_t>(std::clamp(x, -widest, widest)));
    bytes += static_cast<char>(word & 0xff), bytes += static_cast<char>(word >> 8);
  }
  return base64(bytes);
}

// Parallel projection, a little narrower with depth; faces from the furthest to the nearest, shaded by where they look.
const char* const script = R"(<script>
for(const stage of document.querySelectorAll('.stage')){
  const A=JSON.parse(stage.querySelector('script[type]').textContent),raw=Uint8Array.from(atob(A.frames),c=>c.charCodeAt(0)),words=new DataView(raw.buffer);
  const B=A.bodies.length,F=A.forces.length,N=7*B+6*F,T=A.times.length,canvas=stage.querySelector('canvas'),g=canvas.getContext('2d');
  const slider=stage.querySelector('input'),play=stage.querySelector('.play'),said=stage.querySelector('output'),speed=stage.querySelector('select');
  const at=(k,i)=>words.getInt16(2*(k*N+i),true);
  const point=(k,i)=>[at(k,i)*A.length,at(k,i+1)*A.length,at(k,i+2)*A.length];
  const low=[1e9,1e9,1e9],high=[-1e9,-1e9,-1e9];
  for(let k=0;k<T;k++)for(let b=0;b<B;b++){const p=point(k,7*b);for(let i=0;i<3;i++){low[i]=Math.min(low[i],p[i]);high[i]=Math.max(high[i],p[i])}}
  const centre=low.map((l,i)=>(l+high[i])/2),reach=Math.max(.05,Math.hypot(...low.map((l,i)=>high[i]-l))/2*1.15);
  let turn=.9,tilt=.3,zoom=1,now=0,running=false,last=0;
  const faces=[[0,1,3,2],[4,6,7,5],[0,4,5,1],[2,3,7,6],[0,2,6,4],[1,5,7,3]];
  const colour=name=>getComputedStyle(stage).getPropertyValue(name).trim();
  const rgb=h=>[1,3,5].map(i=>parseInt(h.slice(i,i+2),16));
  const rotated=(q,v)=>{const [x,y,z,w]=q,t=[2*(y*v[2]-z*v[1]),2*(z*v[0]-x*v[2]),2*(x*v[1]-y*v[0])];
    return [v[0]+w*t[0]+y*t[2]-z*t[1],v[1]+w*t[1]+z*t[0]-x*t[2],v[2]+w*t[2]+x*t[1]-y*t[0]]};
  const draw=()=>{
    const W=canvas.clientWidth,H=Math.round(W*.62),d=devicePixelRatio||1;if(canvas.width!=W*d||canvas.height!=H*d){canvas.width=W*d;canvas.height=H*d;canvas.style.height=H+'px'}
    g.setTransform(d,0,0,d,0,0);g.clearRect(0,0,W,H);
    const ct=Math.cos(turn),st=Math.sin(turn),ce=Math.cos(tilt),se=Math.sin(tilt),scale=Math.min(W,H)/2/reach*zoom;
    const seen=p=>{const x=p[0]-centre[0],y=p[1]-centre[1],z=p[2]-centre[2],u=-st*x+ct*y,away=-(ct*x+st*y),up=z*ce+away*se,deep=away*ce-z*se,s=scale/(1+.18*deep/reach);
      return [W/2+u*s,H/2-up*s,deep]};
    const line=(a,b)=>{g.beginPath();g.moveTo(a[0],a[1]);g.lineTo(b[0],b[1]);g.stroke()};
    const step=Math.pow(10,Math.round(Math.log10(reach/2))),n=Math.ceil(reach/step);g.strokeStyle=colour('--line');g.lineWidth=1;
    for(const {point:o,normal:m} of A.planes){
      const least=m.map(Math.abs).indexOf(Math.min(...m.map(Math.abs))),d=[0,1,2].map(i=>(i==least?1:0)-m[i]*m[least]),l=Math.hypot(...d),e=d.map(x=>x/l),f=[m[1]*e[2]-m[2]*e[1],m[2]*e[0]-m[0]*e[2],m[0]*e[1]-m[1]*e[0]];
      const along=a=>Math.round(a.reduce((s,x,i)=>s+x*(centre[i]-o[i]),0)/step),u0=along(e),v0=along(f),at=(u,v)=>seen([0,1,2].map(i=>o[i]+step*((u0+u)*e[i]+(v0+v)*f[i])));
      for(let i=-n;i<=n;i++){line(at(i,-n),at(i,n));line(at(-n,i),at(n,i))}}
    const parts=[],body=rgb(colour('--c0')),places=[];
    A.bodies.forEach((b,i)=>{const p=point(now,7*i),q=[3,4,5,6].map(k=>at(now,7*i+k)/32767);places.push(seen(p));
      if(b.corners.length==8){const c=b.corners.map(v=>{const r=rotated(q,v);return [r[0]+p[0],r[1]+p[1],r[2]+p[2]]}),s=c.map(seen);
        for(const f of faces){const e=i=>[0,1,2].map(k=>c[f[i]][k]-c[f[0]][k]),a=e(1),z=e(3),m=[a[1]*z[2]-a[2]*z[1],a[2]*z[0]-a[0]*z[2],a[0]*z[1]-a[1]*z[0]],l=Math.hypot(...m)||1;
          const light=.62+.38*Math.abs(m[0]*ct+m[1]*st*.3+m[2]*.8)/l/1.3;parts.push([f.reduce((x,i)=>x+s[i][2],0)/4,()=>{g.beginPath();f.forEach((i,j)=>j?g.lineTo(s[i][0],s[i][1]):g.moveTo(s[i][0],s[i][1]));g.closePath();
            g.fillStyle='rgba('+body.map(x=>Math.round(x*light)).join()+',.82)';g.fill();g.strokeStyle='rgba('+body.map(x=>Math.round(x*.55)).join()+',.9)';g.lineWidth=.7;g.stroke()}])}}
      if(b.parent>=0)parts.push([(places[i][2]+places[b.parent][2])/2,()=>{g.strokeStyle=colour('--fg');g.lineWidth=2.2;line(places[i],places[b.parent])}])});
    parts.sort((a,b)=>b[0]-a[0]).forEach(p=>p[1]());
    g.strokeStyle=g.fillStyle=colour('--c1');g.lineWidth=3;
    for(let f=0;f<F;f++){const i=7*B+6*f,v=[3,4,5].map(k=>at(now,i+k)*A.force*reach/2/A.unit);if(Math.hypot(...v)<.01*reach)continue;
      const p=point(now,i),a=seen(p),b=seen([p[0]+v[0],p[1]+v[1],p[2]+v[2]]),t=Math.atan2(b[1]-a[1],b[0]-a[0]);line(a,b);
      g.beginPath();g.moveTo(b[0],b[1]);for(const s of[.42,-.42])g.lineTo(b[0]-9*Math.cos(t+s),b[1]-9*Math.sin(t+s));g.closePath();g.fill()}
    slider.value=now;said.textContent=A.times[now].toFixed(3)+' s of '+A.times[T-1].toFixed(3)+' s';
  };
  const run=t=>{if(!running)return;const shown=A.times[now]+(t-last)/1000*speed.value;last=t;let k=now;while(k<T-1&&A.times[k+1]<=shown+1e-9)k++;
    if(k==now)last=t-(shown-A.times[now])*1000/speed.value;else{last=t-(shown-A.times[k])*1000/speed.value;now=k;draw()}
    if(now==T-1)stop();else requestAnimationFrame(run)};
  const stop=()=>{running=false;play.textContent='▶ play'},start=()=>{if(now==T-1)now=0;running=true;play.textContent='❚❚ pause';last=performance.now();requestAnimationFrame(run)};
  play.onclick=()=>running?stop():start();
  slider.oninput=()=>{stop();now=+slider.value;draw()};
  let held=null;canvas.onpointerdown=e=>{held=[e.clientX,e.clientY];canvas.setPointerCapture(e.pointerId)};canvas.onpointerup=canvas.onpointercancel=()=>held=null;
  canvas.onpointermove=e=>{if(!held)return;turn-=(e.clientX-held[0])/160;tilt=Math.max(-1.5,Math.min(1.5,tilt+(e.clientY-held[1])/160));held=[e.clientX,e.clientY];draw()};
  stage.querySelectorAll('.zoom').forEach(b=>b.onclick=()=>{zoom*=+b.value;draw()});
  new ResizeObserver(draw).observe(canvas);matchMedia('(prefers-color-scheme: dark)').addEventListener('change',draw);
  const from=+(new URLSearchParams(location.search).get('t')||0);while(now<T-1&&A.times[now+1]<=from)now++;
  draw();if(!from&&!matchMedia('(prefers-reduced-motion: reduce)').matches)start();
}
</script>
)";

}  // namespace

std::string animation(const Animation& shown) {
  const auto plain = [](double x) { return number(x, 6); };
  const Units units = units_of(shown);
  const std::string bodies = listed(shown.bodies, [&](const AnimatedBody& body) {
    return "{\"name\":" + quoted(body.name) + ",\"parent\":" + std::to_string(body.parent) +
           ",\"corners\":" + listed(body.corners, [&](const std::array<double, 3>& corner) { return listed(corner, plain); }) +
           "}";
  });
  return "<figure class=\"stage\"><figcaption>" + escaped(shown.title) + " <span>" + escaped(shown.hint) +
         "</span></figcaption>\n<canvas style=\"width:100%;touch-action:pan-y;cursor:grab;border:1px solid "
         "var(--line);border-radius:6px\" "
         "role=\"img\" aria-label=\"" +
         escaped(shown.title) +
         "\"></canvas>\n<div class=\"tools\"><button type=\"button\" class=\"play\">▶ play</button><input type=\"range\" "
         "min=\"0\" max=\"" +
         std::to_string(shown.times.empty() ? 0 : shown.times.size() - 1) +
         "\" value=\"0\" aria-label=\"time\"><select aria-label=\"speed\"><option value=\"1\">real time</option><option "
         "value=\"0.25\">a quarter</option><option value=\"0.05\">a twentieth</option></select><button type=\"button\" "
         "class=\"zoom\" "
         "value=\"1.3\" title=\"larger\">+</button><button type=\"button\" class=\"zoom\" value=\"0.77\" "
         "title=\"smaller\">−</button><output></output></div>\n<script type=\"application/json\">{\"bodies\":" +
         bodies + ",\"planes\":" +
         listed(shown.planes,
                [&](const AnimatedPlane& plane) {
                  return "{\"point\":" + listed(plane.point, plain) + ",\"normal\":" + listed(plane.normal, plain) + "}";
                }) +
         ",\"forces\":" + listed(shown.forces, quoted) + ",\"length\":" + number(units.length, 9) +
         ",\"force\":" + number(units.force, 9) + ",\"unit\":" + number(shown.unit_force > 0 ? shown.unit_force : 1, 6) +
         ",\"times\":" + listed(shown.times, [](double t) { return number(t, 7); }) + ",\"frames\":\"" + packed(shown, units) +
         "\"}</script>\n</figure>\n" + script;
}

}  // namespace sparsedyn::report
