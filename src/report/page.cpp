#include "sparsedyn/report/page.hpp"

namespace sparsedyn::report {
namespace {

const char* const style = R"(
body{font:15px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"DejaVu Sans",sans-serif;color:#222;max-width:77em;margin:2em auto;padding:0 1.5em}
h1{font-size:1.6em;font-weight:650;margin:0 0 .6em}h2{font-size:1.2em;margin:2em 0 .5em;padding-bottom:.2em;border-bottom:1px solid #ddd}
p{max-width:54em}svg text{font-family:inherit;fill:currentColor}
table{border-collapse:collapse;margin:1em 0;font-variant-numeric:tabular-nums;font-size:.92em}
td,th{padding:.22em .75em;text-align:right;border-bottom:1px solid #e8e8e8}th{font-weight:600;border-bottom:2px solid #bbb;vertical-align:bottom}
td:first-child,th:first-child{text-align:left}tr:hover td{background:#f5f8fc}
.beside{display:flex;flex-wrap:wrap;gap:1.4em 2em;align-items:flex-start}svg.plot,svg.bars{max-width:100%;height:auto}
figure{margin:0;max-width:100%}figcaption{margin-bottom:.35em}
svg.spy{border:1px solid #aaa;display:block;max-width:100%;height:auto;cursor:crosshair;background:#fff}
.legend{font-size:.85em;margin-top:.4em;color:#444}.legend span{margin-right:1.1em;white-space:nowrap}
.legend i{display:inline-block;width:.8em;height:.8em;margin-right:.35em;vertical-align:-.05em}
#tip{position:fixed;pointer-events:none;background:#222;color:#fff;font-size:12.5px;line-height:1.4;padding:.3em .6em;border-radius:4px;
white-space:pre;display:none;z-index:9}.small{font-size:.88em;color:#555}
summary{cursor:pointer;color:#1f5fa8}
)";

/// A cell under the pointer: its row, its column, what lies there, and a cross through it.
const char* const script = R"(
const tip=document.body.appendChild(Object.assign(document.createElement('div'),{id:'tip'}));
for(const svg of document.querySelectorAll('svg.spy')){
  const rows=svg.dataset.rows.split('\n'),columns=svg.dataset.columns.split('\n');
  const bar=()=>{const r=document.createElementNS('http://www.w3.org/2000/svg','rect');
    r.setAttribute('fill','#f5a623');r.setAttribute('opacity','.28');r.setAttribute('pointer-events','none');r.setAttribute('width',0);return svg.appendChild(r)};
  const across=bar(),down=bar(),put=(e,x,y,w,h)=>{for(const[k,v]of Object.entries({x,y,width:w,height:h}))e.setAttribute(k,v)};
  svg.addEventListener('pointermove',e=>{
    const p=new DOMPoint(e.clientX,e.clientY).matrixTransform(svg.getScreenCTM().inverse()),r=Math.floor(p.y),c=Math.floor(p.x);
    if(!(r in rows&&c in columns))return;
    put(across,0,r,columns.length,1);put(down,c,0,1,rows.length);
    tip.textContent=rows[r]+'\n'+columns[c]+(e.target.dataset.name?'\n'+e.target.dataset.name:'');
    tip.style.display='block';
    tip.style.left=Math.min(e.clientX+14,innerWidth-tip.offsetWidth-6)+'px';tip.style.top=Math.min(e.clientY+14,innerHeight-tip.offsetHeight-6)+'px';
  });
  svg.addEventListener('pointerleave',()=>{tip.style.display='none';put(across,0,0,0,0);put(down,0,0,0,0)});
}
)";

}  // namespace

std::string escaped(const std::string& text) {
  std::string out;
  for (char c : text) switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      default: out += c;
    }
  return out;
}

std::string table(const std::vector<std::vector<std::string>>& rows) {
  std::string out = "<table>\n";
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const char* tag = r == 0 ? "th" : "td";
    out += "<tr>";
    for (const std::string& cell : rows[r]) out += std::string("<") + tag + ">" + cell + "</" + tag + ">";
    out += "</tr>\n";
  }
  return out + "</table>\n";
}

std::string beside(const std::vector<std::string>& figures) {
  std::string out = "<div class=\"beside\">\n";
  for (const std::string& figure : figures) out += figure;
  return out + "</div>\n";
}

std::string section(const std::string& heading, const std::string& body) {
  return "<h2>" + escaped(heading) + "</h2>\n" + body;
}

std::string page(const std::string& title, const std::string& body) {
  return "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
         "content=\"width=device-width\"><title>" +
         escaped(title) + "</title>\n<style>" + style + "</style></head>\n<body>\n<h1>" + escaped(title) + "</h1>\n" + body +
         (body.find("class=\"spy\"") == std::string::npos ? "" : std::string("<script>") + script + "</script>\n") +
         "</body></html>\n";
}

}  // namespace sparsedyn::report
