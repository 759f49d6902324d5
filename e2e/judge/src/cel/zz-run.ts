import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { jsonText, type JsonValue } from '@keelson/structural-schema';
import { damaged, type Node, smallerNodes, sourceOf } from './expression.ts';
import { type Answer, OurScope } from './our-answer.ts';
import { RandomSource } from './random-source.ts';
import { ExpressionSource } from './random-expression.ts';
import { schema, values } from './resource.ts';

const [, , seedText = '1', countText = '2000', filter = '', showText = '20', mannerText='0.03,0.08'] = process.argv;
const child = spawn(process.env['JUDGE'] ?? '/tmp/cel/judge/judge', [], { stdio: ['pipe', 'pipe', 'inherit'] });
const pending: ((v: Answer[]) => void)[] = [];
createInterface({ input: child.stdout }).on('line', (line) => { const r = JSON.parse(line); if (r.error) console.log(r.error); pending.shift()?.(r.result); });
function ask(expressions: string[]): Promise<Answer[]> {
  return new Promise((resolve) => { pending.push(resolve);
    child.stdin.write(`{"id":1,"op":"cel","input":{"schema":${JSON.stringify(schema)},"expressions":${JSON.stringify(expressions)},"values":[${values.map((v) => jsonText(v as JsonValue)).join(',')}]}}\n`); });
}
const scope = new OurScope(schema);
const [ill, dyn] = mannerText.split(',').map(Number) as [number, number];
function ours(source: string): Answer { try { return scope.answer(source, values); } catch (e) { return { program: 'THROWN ' + String((e as Error).stack) }; } }
function near(a?: string, b?: string): boolean { return a === b || Math.abs(Number(a) - Number(b)) <= 1e-9 * Math.abs(Number(b)); }
export function diff(a: Answer, b: Answer): string[] {
  const out: string[] = [];
  const kind = (x: Answer) => x.issues !== undefined ? 'issues' : x.program !== undefined ? 'program' : 'ok';
  if (b.program?.startsWith('panic')) return [];
  if (JSON.stringify(a).includes('THROWN')) out.push('thrown');
  if (kind(a) !== kind(b)) { out.push(`accept:${kind(a)}/${kind(b)}`); return out; }
  if (kind(a) === 'issues' && norm(a.issues!).split('\n')[0] !== norm(b.issues!).split('\n')[0]) out.push('words-first');
  if (kind(a) === 'issues' && norm(a.issues!) !== norm(b.issues!)) out.push('words-issues');
  if (kind(a) === 'program' && a.program !== b.program) out.push('words-program');
  if (kind(a) !== 'ok') return out;
  if (a.type !== b.type) out.push('type');
  if (!near(a.most, b.most)) out.push('most');
  if (!near(a.least, b.least)) out.push('least');
  for (const [i, r] of (a.runs ?? []).entries()) {
    const g = b.runs![i]!;
    if ((g as {unstable?: boolean}).unstable) continue;
    if ((r.error === undefined) !== (g.error === undefined)) out.push('result');
    else if (r.error !== undefined) { if (r.error !== g.error) out.push('words-error'); if (!r.error.startsWith('operation cancelled') && r.cost !== g.cost) out.push('cost-of-error'); }
    else { if (JSON.stringify(sorted(r.value)) !== JSON.stringify(sorted(g.value))) out.push('result'); if (r.cost !== g.cost) out.push('cost'); }
  }
  return [...new Set(out)];
}
function norm(t: string): string { return t.split('\n').filter((l) => !l.startsWith(' |')).join('\n'); }
function sorted(v: unknown): unknown { return v ?? null; }
const seed = Number(seedText), count = Number(countText);
const tally = new Map<string, number>();
const found: { node: Node; d: string[] }[] = [];
let compiled = 0, errors = 0;
for (let i = 0; i < count; i += 200) {
  const nodes: Node[] = [];
  for (let k = 0; k < 200 && i + k < count; k++) nodes.push(new ExpressionSource(new RandomSource(seed + i + k), { illTyped: ill, dynamic: dyn }).expression());
  const sources = nodes.map((n, k) => process.env['DAMAGE'] ? damaged(new RandomSource(seed + i + k + 777), sourceOf(n)) : sourceOf(n));
  if (process.env['DAMAGE']) for (let k = 0; k < nodes.length; k++) nodes[k] = { template: sources[k]!, operands: [] };
  const go = await ask(sources);
  for (const [k, node] of nodes.entries()) {
    const a = ours(sources[k]!); const b = go[k]!;
    if (b.runs) { compiled++; if (b.runs[0]!.error) errors++; }
    const d = diff(a, b);
    for (const x of d) tally.set(x, (tally.get(x) ?? 0) + 1);
    if (d.length > 0) { tally.set('ANY', (tally.get('ANY') ?? 0) + 1); found.push({ node, d }); }
    if (d.some((x) => !x.startsWith('words') && x!=='cost-of-error')) tally.set('DECISION', (tally.get('DECISION') ?? 0) + 1);
  }
}
console.log({ count, compiled, errors }, Object.fromEntries([...tally].sort()), `equal ${(100 * (1 - (tally.get('ANY') ?? 0) / count)).toFixed(2)} decisions ${(100 * (1 - (tally.get('DECISION') ?? 0) / count)).toFixed(2)}`);
let n = 0;
for (const { node, d } of found) {
  const first = d.find((x) => x.includes(filter)); if (first === undefined) continue;
  if (n++ >= Number(showText)) break;
  let small = node; let better = true; let tries = 0;
  while (better && tries < 400) { better = false;
    for (const s of smallerNodes(small)) { if (tries++ > 400) break; const src = sourceOf(s); if (diff(ours(src), (await ask([src]))[0]!).includes(first)) { small = s; better = true; break; } } }
  const src = sourceOf(small); const a = ours(src), b = (await ask([src]))[0]!;
  console.log(`\n## ${first}: ${src}`); 
  if (a.issues !== b.issues) console.log('  ours issues', a.issues, '\n  go issues  ', b.issues);
  else if (a.program !== b.program) console.log('  ours program', a.program, '\n  go program  ', b.program);
  if (a.type !== b.type || a.most !== b.most || a.least !== b.least) console.log('  ours', a.type, a.least, a.most, '\n  go  ', b.type, b.least, b.most);
  for (const [i, r] of (a.runs ?? []).entries()) { const o = JSON.stringify(r).slice(0,240), g = JSON.stringify(b.runs?.[i]); if (o !== g) { console.log('   ours', o, '\n   go  ', g); break; } }
}
child.stdin.end();
