import { defineKind } from './src/index.ts';
import { createApiServer } from '@keelson/apiserver';
const base = { group: 'shop.example', version: 'v1', kind: 'Widget', plural: 'widgets' } as const;
await using server = await createApiServer();
const defs = `${server.url}/apis/apiextensions.k8s.io/v1/customresourcedefinitions`;
const post = async (b: unknown) => { const r = await fetch(`${defs}?dryRun=All`, { method: 'POST', headers: {'content-type':'application/json'}, body: JSON.stringify(b) }); return [r.status, (await r.json() as any).message]; };
const good = defineKind({ ...base, spec: {type:'object'} }).crd;
const wrongs: any[] = [null, 5, -1, 1.5, NaN, true, 'x', '', [], {}, [null], ['x'], [5], {a:null}, {a:5}, ()=>1, /x/i, 10n];
const keywords = ['title','description','format','default','enum','nullable','example','minimum','maximum','exclusiveMinimum','exclusiveMaximum','multipleOf','minLength','maxLength','pattern','minItems','maxItems','minProperties','maxProperties','properties','required','additionalProperties','items','x-kubernetes-int-or-string','x-kubernetes-preserve-unknown-fields','x-kubernetes-embedded-resource','x-kubernetes-list-type','x-kubernetes-list-map-keys','x-kubernetes-map-type','x-kubernetes-validations','type'];
const bases: any = { string: {type:'string'}, object: {type:'object'}, array: {type:'array', items:{type:'string'}}, number:{type:'number'} };
let n=0; const seen = new Map<string, number>();
for (const [bn, b] of Object.entries(bases)) for (const k of keywords) for (const w of wrongs) {
  const part: any = { ...(b as object), [k]: w };
  const s: any = { type: 'object', properties: { a: part } };
  let ours = 'ok', code='';
  try { defineKind({ ...base, spec: s }); } catch (e: any) { code = typeof e.code === 'string' ? e.code : 'RAW ' + e.name; ours = e.message.slice(0, 200); }
  let status: any = 0, message: any = 'not sent';
  if (typeof w !== 'bigint' && typeof w !== 'function' && !(w instanceof RegExp) && !Number.isNaN(w)) {
  const crd: any = structuredClone(good); crd.spec.versions[0].schema.openAPIV3Schema.properties.spec = JSON.parse(JSON.stringify(s));
  [status, message] = await post(crd);
  }
  const bad = code.startsWith('RAW') || code === 'DataCloneError' || (status !== 0 && (status === 201) !== (ours === 'ok')) || (status===0 && ours==='ok') || status === 500;
  if (bad) { const key = `${k}|${code||'ok'}|${status}`; seen.set(key, (seen.get(key)??0)+1); if (seen.get(key)! < 3) console.log(bn, k, typeof w === 'bigint' ? '10n' : typeof w === 'function' ? 'fn' : JSON.stringify(w), '|', code, ours.slice(0,110), '|', status, String(message).slice(0, 150)); }
}
console.log(seen);
