#include "style.hpp"

namespace sparsedyn::report {

// Colours are variables: --c0 to --c7 of series (apart for eyes that tell red and green alike, too), the rest by their use.
// Dashes and patterns say the same on paper.
const char* const page_style = R"(
:root{color-scheme:light dark;--bg:#fff;--fg:#1d2126;--soft:#59626d;--line:#dfe3e8;--faint:#f4f6f8;--link:#1b5fae;--band:#1f5fa82e;--gap:#8a929c40;
--c0:#1f5fa8;--c1:#c2481c;--c2:#14795a;--c3:#8447b3;--c4:#9a6a00;--c5:#0b7d94;--c6:#bf3b7b;--c7:#525b66;--fill:#d1302f;--ink:#1d2126}
@media screen and (prefers-color-scheme:dark){:root{--bg:#14171b;--fg:#e4e7eb;--soft:#a3acb8;--line:#30363e;--faint:#1c2026;--link:#7db4f2;--band:#7db4f23d;--gap:#a3acb84d;
--c0:#6fb0f5;--c1:#f58d63;--c2:#55c99d;--c3:#c79bf0;--c4:#e2b040;--c5:#54c7d9;--c6:#f288b9;--c7:#b0bac6;--fill:#ff6b63;--ink:#e4e7eb}}
*{box-sizing:border-box}
body{font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"DejaVu Sans",sans-serif;color:var(--fg);background:var(--bg);max-width:98em;margin:0 auto;padding:1.2em clamp(.75em,3vw,2.5em) 3em}
h1{font-size:clamp(1.35em,1em + 1.8vw,1.9em);line-height:1.2;font-weight:650;margin:.4em 0 .5em;overflow-wrap:anywhere}
h2{font-size:1.25em;margin:2.2em 0 .6em;padding-bottom:.2em;border-bottom:1px solid var(--line)}
h3{font-size:1em;margin:1.1em 0 .25em}
p,li{max-width:46em;overflow-wrap:anywhere}p.lead{font-size:1.15em;margin:.2em 0 1em}a{color:var(--link)}code,pre{font-size:.9em}
pre{overflow-x:auto;background:var(--faint);padding:.8em 1em;border-radius:6px}
.small{font-size:.88em;color:var(--soft)}
summary{cursor:pointer;color:var(--link);padding:.3em 0}
.wide{overflow-x:auto}table{border-collapse:collapse;margin:.6em 0;font-variant-numeric:tabular-nums;font-size:.92em}
td,th{padding:.25em .75em;text-align:right;border-bottom:1px solid var(--line)}th{font-weight:600;border-bottom:2px solid var(--soft);vertical-align:bottom}
td:first-child,th:first-child{text-align:left;padding-left:0}tr:hover td{background:var(--faint)}
.words td,.words th{text-align:left;vertical-align:top;min-width:3.2em}.words td:first-child,.words td:nth-last-child(-n+2){min-width:13em}
.beside{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,25em),1fr));gap:1.6em 2em;align-items:start}
.beside:has(.curves,.spy){grid-template-columns:repeat(auto-fill,minmax(min(100%,42em),1fr))}
.beside:not(:has(.curves,.spy)):has(>figure:nth-child(4):last-child){grid-template-columns:repeat(4,minmax(0,1fr))}
@media(min-width:98.01em){.beside:not(:has(.curves,.spy)):has(>figure:nth-child(4):last-child) .plot text{font-size:13.5px}}
@media(max-width:98em){.beside:not(:has(.curves,.spy)):has(>figure:nth-child(4):last-child){grid-template-columns:repeat(auto-fit,minmax(min(100%,24em),1fr))}}
figure{margin:0;min-width:0;break-inside:avoid}figcaption{font-weight:600;margin-bottom:.3em;overflow-wrap:anywhere}figcaption span{font-weight:400;color:var(--soft)}
svg{display:block;width:100%;height:auto}.plot{overflow:visible}svg text{font:12px system-ui,-apple-system,"Segoe UI",Roboto,"DejaVu Sans",sans-serif;fill:var(--fg)}svg .soft{fill:var(--soft)}@media(max-width:34em){.plot text{font-size:13px}}@media(max-width:26em){.plot text{font-size:14.5px}}svg.drawing text{font-size:17.5px}
.grid,.axis{fill:none;stroke:var(--line);shape-rendering:crispEdges}.axis{stroke:var(--soft)}
.c0{--c:var(--c0)}.c1{--c:var(--c1);--d:7 3}.c2{--c:var(--c2);--d:2.5 2.5}.c3{--c:var(--c3);--d:9 3 2 3}.c4{--c:var(--c4);--d:14 4}.c5{--c:var(--c5);--d:4 2 1 2}.c6{--c:var(--c6);--d:1.5 3.5}.c7{--c:var(--c7);--d:3 6}
.line{fill:none;stroke:var(--c);stroke-width:1.8;stroke-dasharray:var(--d);stroke-linejoin:round}.mark{fill:var(--c);stroke:var(--c)}
.published{stroke-width:1.1}.mark.published{fill:var(--bg)}
.fine{stroke-width:2.4;stroke-dasharray:none;stroke-linecap:round}.fine.c1{stroke-width:3;stroke-dasharray:9 5;stroke-linecap:butt}.fine.c2{stroke-width:3.2;stroke-dasharray:2.5 5;stroke-linecap:butt}.fine.c3{stroke-width:3;stroke-dasharray:14 4 3 4;stroke-linecap:butt}
.envelope{fill:var(--c);stroke:var(--c);stroke-width:2;stroke-linejoin:round}.envelope.c1,.envelope.c2{fill-opacity:.75}.envelope.c3{fill-opacity:.35}
[data-chart]{touch-action:pan-y;cursor:crosshair;user-select:none;-webkit-user-select:none}[data-chart]:focus,canvas:focus{outline:none}[data-chart]:focus-visible,canvas:focus-visible{outline:2px solid var(--link);outline-offset:2px}.touched:focus-visible{outline:none}
.cursor{pointer-events:none}.cursor path{stroke:var(--fg);stroke-width:1;fill:none}.cursor .said{paint-order:stroke;stroke:var(--bg);stroke-width:5px;stroke-linejoin:round}.cursor tspan{fill:var(--c,var(--fg))}.chosen{fill:var(--link);opacity:.2}
.key>[role=button]{cursor:pointer;border-radius:4px}.key>[aria-pressed=false]{opacity:.4;text-decoration:line-through}
.band{fill:var(--band)}.level{fill:none;stroke:var(--soft);stroke-width:2;stroke-dasharray:4 6}.gaps{fill:var(--gap);stroke:var(--gap);stroke-width:2}.outliers{stroke:var(--fill);stroke-width:4}
.cloud{fill:none;stroke:var(--c);stroke-width:2.6;stroke-linecap:round;opacity:.45}.fill{fill:var(--c);opacity:.45}.shades{max-width:24em;border:1px solid var(--line);fill:var(--c0)}
.sample{display:inline-block;width:34px;height:12px;margin-right:.45em;vertical-align:-.05em;flex:none}
.key{font-size:.9em;margin:.2em 0 .8em;max-width:none}.key>span{margin-right:1.4em;white-space:nowrap}.key i{display:inline-block;width:1.1em;height:.8em;margin-right:.45em;vertical-align:-.02em}
.band-key{background:var(--band)}.gap-key{background:var(--gap)}.key .outlier-key{background:var(--fill);width:3px}
.curves{display:grid;grid-template-columns:minmax(0,1fr) 16.5em;max-width:58em}.curves figcaption,.curves .small{grid-column:1/-1}
.ends{position:relative;list-style:none;margin:0;padding:0;font-size:12.5px;line-height:1.1}
.ends li{position:absolute;left:.3em;right:0;transform:translateY(-50%);padding-left:38px;overflow-wrap:anywhere}.ends svg{position:absolute;left:0;top:.05em;width:30px}.ends.many li{position:relative;transform:none;padding-bottom:.35em}
@media(max-width:46em){.words td:first-child,.words td:nth-last-child(-n+2){min-width:7em}.words table{width:max-content;max-width:80em}.curves{display:block}.ends{columns:2;margin-top:.4em}.ends li{position:relative;top:0!important;transform:none;padding:.15em 0 .15em 38px;break-inside:avoid}.ends svg{top:.2em}}
.bars>div{display:grid;gap:.1em 0}.bars h3{margin:.9em 0 .1em}
.bar{display:grid;grid-template-columns:minmax(9em,15em) repeat(var(--accounts),minmax(0,1fr));gap:0 1.2em;margin:0;max-width:none;font-size:.92em;align-items:center}
.bar>span:first-child{overflow-wrap:anywhere}.bar.head{color:var(--soft)}.marked>span:first-child{font-weight:700}
.track{display:flex;align-items:center;height:1.45em;font-variant-numeric:tabular-nums}.track i{height:1em;flex:none}.track b{font-weight:400;margin-left:.45em;white-space:nowrap}.marked .track b{font-weight:700}
.p0{background:var(--c0)}.p1{background:repeating-linear-gradient(45deg,var(--c1) 0 3px,transparent 3px 5px)}.p2{background:repeating-linear-gradient(90deg,var(--c2) 0 2px,transparent 2px 4px)}.p3{background:repeating-linear-gradient(0deg,var(--c3) 0 2px,transparent 2px 4px)}
.interval{position:relative;height:1.3em}.interval *{position:absolute}.interval u{top:.4em;height:.5em;background:var(--band);border:1px solid var(--c0)}.interval i{top:.35em;width:.6em;height:.6em;margin-left:-.3em;border-radius:50%;background:var(--c0)}.interval s{top:0;bottom:0;border-left:1px dashed var(--soft)}
@media(max-width:34em){.bar{grid-template-columns:1fr}.bar.head{display:none}.bar>span:first-child{font-size:.95em;margin-top:.35em}.track[data-account]:has(b)::after{content:attr(data-account);color:var(--soft);margin-left:.4em}.track:not(:has(b)){display:none}.track[data-account]{padding-right:4em;white-space:nowrap}}
.strip{height:1.15em;background:var(--faint);border-left:1px solid var(--line);border-right:1px solid var(--line)}.far1{fill:var(--c4);background:var(--c4)}.far2{fill:var(--c1);background:var(--c1)}.far3{fill:var(--fill);background:var(--fill)}.none1{fill:var(--gap);background:var(--gap)}.ends-of-time{display:flex;justify-content:space-between;color:var(--soft)}.strips .bar{line-height:1.3}
@media(min-width:34.01em){.intervals .bar{grid-template-columns:minmax(7em,11em) minmax(0,1fr) 10em}}.intervals .said{white-space:nowrap;font-variant-numeric:tabular-nums}
.spy{width:100%}.spy svg{border:1px solid var(--soft);cursor:crosshair;touch-action:pan-y;background:var(--bg)}
.spy .k0{fill:var(--c0)}.spy .k1{fill:var(--fill)}.spy .k2{fill:var(--c2)}.spy .k3{fill:var(--c4)}.spy .k4{fill:var(--ink)}.spy .k5{fill:var(--c3)}.spy .k6{fill:var(--c7)}.spy .done{opacity:.28}
.spy .key i{outline:1px solid var(--line)}.k0>i{background:var(--c0)!important}.k1>i{background:var(--fill)!important}.k2>i{background:var(--c2)!important}.k3>i{background:var(--c4)!important}.k4>i{background:var(--ink)!important}.k5>i{background:var(--c3)!important}.k6>i{background:var(--c7)!important}
.tools{display:flex;flex-wrap:wrap;gap:.3em .5em;align-items:center;font-size:.88em;margin:.4em 0}.tools button{font:inherit;color:inherit;background:var(--faint);border:1px solid var(--line);border-radius:5px;min-width:2.2em;padding:.15em .6em;cursor:pointer}.tools input{flex:1 1 10em;accent-color:var(--c0)}.tools output{flex:1 1 100%;color:var(--soft);min-height:1.5em;overflow-wrap:anywhere}
.stage canvas{display:block;width:100%;touch-action:none;cursor:grab;border:1px solid var(--line);border-radius:6px}.stage .tools:first-of-type{margin-bottom:0}.tools select{font:inherit;color:inherit;background:var(--faint);border:1px solid var(--line);border-radius:5px}.tools [aria-pressed=true]{border-color:var(--c0);box-shadow:inset 0 -2px var(--c0)}
#tip,.tip{position:fixed;pointer-events:none;background:var(--fg);color:var(--bg);font-size:13px;line-height:1.4;padding:.3em .6em;border-radius:5px;white-space:pre-wrap;max-width:min(28em,92vw);overflow-wrap:anywhere;display:none;z-index:9}
@media print{body{max-width:none;padding:0;font-size:11px}.tools,#tip,.tip{display:none}*{print-color-adjust:exact;-webkit-print-color-adjust:exact}h2{break-after:avoid}figure.bars{break-inside:auto}.bar{break-inside:avoid}.beside,.beside:has(.curves,.spy){grid-template-columns:1fr 1fr}}
)";

}  // namespace sparsedyn::report
