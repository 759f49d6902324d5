import { defineKind } from './src/index.ts';
import { createApiServer } from '@keelson/apiserver';
const base = { group: 'shop.example', version: 'v1', kind: 'Widget', plural: 'widgets' } as const;
const schema = () => ({ type: 'object', properties: {
  size: { type: 'integer' }, namespace: { type: 'string' }, 'a-b': { type: 'string' }, any: { 'x-kubernetes-preserve-unknown-fields': true },
  ios: { 'x-kubernetes-int-or-string': true }, list: { type: 'array', items: { type: 'object', properties: { n: { type: 'integer' } } } },
  set: { type: 'array', maxItems: 5, 'x-kubernetes-list-type': 'set', items: { type: 'string', maxLength: 5 } },
  map: { type: 'object', maxProperties: 3, additionalProperties: { type: 'string', maxLength: 10 } },
  when: { type: 'string', format: 'date-time' }, dur: { type: 'string', format: 'duration' }, num: { type: 'number' }, nul: { type: 'string', nullable: true },
  'self': {type:'string'}, '__proto__x': {type:'string'},
} });
const rules: any[] = [
 { rule: 5 }, { rule: 'true', message: 5 }, { rule: 'true', message: 'a\nb' }, { rule: 'true', message: '' }, { rule: 'true', message:' ' }, { rule: 'true', mesage: 'x' }, { rule: 'true\n && true' }, { rule: 'true\n && true', message: 'x' },
 { rule: 'true', messageExpression: '5' }, { rule: 'true', messageExpression: '' }, { rule: 'true', messageExpression: '"a" +' }, { rule: 'true', messageExpression: '"x".format([1])'},
 { rule: 'true', reason: 'Bad' }, { rule: 'true', reason: 'FieldValueInvalid' }, { rule: 'true', fieldPath: '.nope' }, { rule: 'true', fieldPath: 'size' }, { rule: 'true', fieldPath: '.size' }, { rule:'true', fieldPath: '.list[0]' }, { rule:'true', fieldPath:"['a-b']" }, { rule: 'true', fieldPath: '' }, { rule:'true', fieldPath:'.map.x'}, {rule:'true', fieldPath:"['__proto__']"},
 { rule: 'true', optionalOldSelf: true }, { rule: 'self.size > oldSelf.size', optionalOldSelf: true }, { rule: 'self.size > oldSelf.value().size || true', optionalOldSelf: true },  { rule: 'true', optionalOldSelf: 'yes' },
 { rule: 'self.namespace == "a"' }, { rule: 'self.__namespace__ == "a"' }, { rule: 'self.a__dash__b == "a"' }, { rule: 'self.any == 1' }, { rule: 'has(self.any)' }, { rule: 'self.ios == 5 || self.ios == "a"' }, { rule: 'type(self.ios) == int' },
 { rule: 'self.list.all(x, x.n > 0)' }, { rule: 'self.list.all(x, self.list.all(y, x.n != y.n))' }, { rule: 'self.set.all(x, self.set.exists_one(y, x == y))' }, { rule: 'self.map.all(k, k.size() < 3)' }, { rule: 'self.when > timestamp("2020-01-01T00:00:00Z")' }, { rule: 'self.dur < duration("1h")' }, { rule: 'self.num > 1' }, { rule: 'self.num > 1.0' }, { rule: 'self.nul == null' }, { rule: 'self.nul == "a"' }, { rule:'self.self == "a"' }, {rule:'self.__self__ == "a"'}, {rule:'self.__proto__x == "a"'}, {rule:'self.__underscores__proto__underscores__x == "a"'},
 { rule: 'self.metadata.name == "a"' }, { rule: 'self.size / 0 > 1' }, { rule: 'oldSelf.size == self.size' }, { rule: 'quantity("1Mi") > quantity("1Ki")' }, { rule: 'ip("1.2.3.4").family() == 4' }, { rule: 'self.?size.orValue(1) > 0' }, { rule: 'self.size.format() == 1' }, { rule: '"%d".format([self.size]) == "1"' }, { rule: 'x' }, { rule: 'self == oldSelf' }, { rule: 'self.exists(x, true)'}, {rule: 'dyn(self).foo == 1'}, {rule:'self.map == {"a":"b"}'}, {rule: '('.repeat(300)+'true'+')'.repeat(300)}, {rule: '!'.repeat(501)+'true'}, {rule: 'true || '.repeat(2000)+'true'}, {rule:'self.set.map(x, x).size() > 0 && cel.bind(a, 1, a == 1)'}, {rule:'sets.contains(self.set, ["a"])'}, {rule:'self.size in [1,2,3] && size(self.set) < 3u'}, null, 'true', {}, {rule: undefined},
];
await using server = await createApiServer();
const defs = `${server.url}/apis/apiextensions.k8s.io/v1/customresourcedefinitions`;
const post = async (b: unknown) => { const r = await fetch(`${defs}?dryRun=All`, { method: 'POST', headers: {'content-type':'application/json'}, body: JSON.stringify(b) }); return [r.status, (await r.json() as any).message]; };
const good = defineKind({ ...base, spec: schema() as any }).crd;
for (const rule of rules) {
  for (const where of ['spec', 'item'] as const) {
  const s: any = schema();
  const target = where === 'spec' ? s : s.properties.list.items;
  if (where==='item') { if (typeof rule?.rule !== 'string' || !/oldSelf|true$/.test(rule.rule) ) continue; }
  target['x-kubernetes-validations'] = [rule];
  let ours = 'ok', code='';
  try { defineKind({ ...base, spec: s }); } catch (e: any) { code = e.code ?? 'RAW ' + e.name; ours = e.message.slice(0, 260); }
  const crd: any = structuredClone(good); crd.spec.versions[0].schema.openAPIV3Schema.properties.spec = JSON.parse(JSON.stringify(s));
  const [status, message] = await post(crd);
  const same = (status === 201) === (ours === 'ok');
  if (!same || code.startsWith('RAW')) console.log(same ? 'same' : 'DIFF', where, JSON.stringify(rule)?.slice(0, 90), '|', code, ours.slice(0,200), '|', status, String(message).slice(0, 260));
  }
}
