import { describe, expect, test } from '@jest/globals';
import type { JsonObject } from '../json/json-value.ts';
import type { JsonSchema } from '../validation/json-schema.ts';
import { type RuleResult, RuleResults } from './rule-results.test-support.ts';

type Fields = Record<string, JsonSchema>;

const text = (maxLength = 253): JsonSchema => ({ type: 'string', maxLength });
const list = (items: JsonSchema, maxItems?: number): JsonSchema => ({
  type: 'array',
  items,
  ...(maxItems !== undefined && { maxItems }),
});
const map = (values: JsonSchema, maxProperties: number): JsonSchema => ({
  type: 'object',
  additionalProperties: values,
  maxProperties,
});
const object = (properties: Fields, required: string[] = []): JsonSchema => ({
  type: 'object',
  properties,
  required,
});

// Results recorded from kube-apiserver 1.36.3, for rules as Gateway API, Karpenter and others write them.
describe('rules in use', () => {
  test.each<[string, Fields, [JsonObject, RuleResult][]]>([
    [
      "!(self.f.exists(f, f.type == 'RequestRedirect') && self.f.exists(f, f.type == 'URLRewrite'))",
      {
        f: list(
          object({ type: text(20), requestRedirect: object({ port: { type: 'integer' } }) }, [
            'type',
          ]),
          16,
        ),
      },
      [
        [{ f: [{ type: 'RequestRedirect' }] }, true],
        [{ f: [{ type: 'RequestRedirect' }, { type: 'URLRewrite' }] }, false],
      ],
    ],
    [
      "self.f.filter(f, f.type == 'RequestRedirect').size() <= 1",
      {
        f: list(
          object({ type: text(20), requestRedirect: object({ port: { type: 'integer' } }) }, [
            'type',
          ]),
          16,
        ),
      },
      [[{ f: [{ type: 'RequestRedirect' }, { type: 'RequestRedirect' }] }, false]],
    ],
    [
      "self.l.all(l, l.protocol in ['HTTP', 'TCP', 'UDP'] ? !has(l.tls) : true)",
      {
        l: list(
          object(
            {
              name: text(253),
              hostname: text(253),
              port: { type: 'integer' },
              protocol: text(255),
              tls: object({
                mode: text(20),
                certificateRefs: list(object({ name: text(253) }), 64),
              }),
            },
            ['name', 'port', 'protocol'],
          ),
          64,
        ),
      },
      [
        [{ l: [{ name: 'a', port: 1, protocol: 'HTTP', tls: {} }] }, false],
        [{ l: [{ name: 'a', port: 1, protocol: 'TLS', tls: {} }] }, true],
      ],
    ],
    [
      "self.l.all(l, (l.protocol == 'HTTPS' && has(l.tls)) ? (l.tls.mode == '' || l.tls.mode == 'Terminate') : true)",
      {
        l: list(
          object(
            {
              name: text(253),
              hostname: text(253),
              port: { type: 'integer' },
              protocol: text(255),
              tls: object({
                mode: text(20),
                certificateRefs: list(object({ name: text(253) }), 64),
              }),
            },
            ['name', 'port', 'protocol'],
          ),
          64,
        ),
      },
      [
        [{ l: [{ name: 'a', port: 1, protocol: 'HTTPS', tls: { mode: 'Passthrough' } }] }, false],
        [{ l: [{ name: 'a', port: 1, protocol: 'HTTPS', tls: {} }] }, 'error: no such key: mode'],
      ],
    ],
    [
      'self.l.all(l1, self.l.exists_one(l2, l1.port == l2.port && l1.protocol == l2.protocol && (has(l1.hostname) && has(l2.hostname) ? l1.hostname == l2.hostname : !has(l1.hostname) && !has(l2.hostname))))',
      {
        l: list(
          object(
            {
              name: text(253),
              hostname: text(253),
              port: { type: 'integer' },
              protocol: text(255),
              tls: object({
                mode: text(20),
                certificateRefs: list(object({ name: text(253) }), 64),
              }),
            },
            ['name', 'port', 'protocol'],
          ),
          64,
        ),
      },
      [
        [
          {
            l: [
              { name: 'a', port: 1, protocol: 'HTTPS' },
              { name: 'b', port: 1, protocol: 'HTTPS' },
            ],
          },
          false,
        ],
        [{ l: [{ name: 'a', port: 1, protocol: 'HTTPS' }] }, true],
      ],
    ],
    [
      "(self.t != 'PathPrefix') ? !self.v.contains('//') : true",
      { t: text(20), v: text(1024) },
      [
        [{ t: 'Exact', v: '/a//b' }, false],
        [{ t: 'PathPrefix', v: '//' }, true],
      ],
    ],
    [
      '(self.t in [\'Exact\',\'PathPrefix\']) ? self.v.matches(r"""^(?:[-A-Za-z0-9/._~!$&\'()*+,;=:@]|[%][0-9a-fA-F]{2})+$""") : true',
      { t: text(20), v: text(1024) },
      [
        [{ t: 'Exact', v: '/a b' }, false],
        [{ t: 'Exact', v: '/a%20' }, true],
      ],
    ],
    [
      "has(self.refs) ? self.refs.all(p1, self.refs.exists_one(p2, p1.group == p2.group && p1.kind == p2.kind && p1.name == p2.name && (((!has(p1.sectionName) || p1.sectionName == '') && (!has(p2.sectionName) || p2.sectionName == '')) || ( has(p1.sectionName) && has(p2.sectionName) && p1.sectionName == p2.sectionName)))) : true",
      {
        refs: list(
          object({ group: text(253), kind: text(63), name: text(253), sectionName: text(253) }, [
            'name',
          ]),
          32,
        ),
      },
      [
        [
          {
            refs: [
              { group: 'g', kind: 'k', name: 'a' },
              { group: 'g', kind: 'k', name: 'a' },
            ],
          },
          false,
        ],
        [{ refs: [{ group: 'g', kind: 'k', name: 'a' }] }, true],
      ],
    ],
    [
      "self.r.all(x, x.key != 'a')",
      {
        r: list(
          object({ key: text(316), operator: text(20), values: list(text(63), 50) }, ['key']),
          100,
        ),
      },
      [
        [{ r: [{ key: 'a' }] }, false],
        [{ r: [{ key: 'b' }] }, true],
      ],
    ],
    [
      "self.r.all(x, x.operator == 'In' ? x.values.size() != 0 : true)",
      {
        r: list(
          object({ key: text(316), operator: text(20), values: list(text(63), 50) }, ['key']),
          100,
        ),
      },
      [
        [{ r: [{ key: 'b', operator: 'In', values: [] }] }, false],
        [{ r: [{ key: 'b', operator: 'In' }] }, 'error: no such key: values'],
      ],
    ],
    [
      "self.r.all(x, (x.operator == 'Gt' || x.operator == 'Lt') ? (x.values.size() == 1 && int(x.values[0]) >= 0) : true)",
      {
        r: list(
          object({ key: text(316), operator: text(20), values: list(text(63), 50) }, ['key']),
          100,
        ),
      },
      [
        [
          { r: [{ key: 'b', operator: 'Gt', values: ['a'] }] },
          "error: type conversion error from 'string' to 'int'",
        ],
        [{ r: [{ key: 'b', operator: 'Gt', values: ['1'] }] }, true],
        [{ r: [{ key: 'b', operator: 'Gt', values: ['-1'] }] }, false],
      ],
    ],
    [
      'self.b.all(x, has(x.schedule) == has(x.duration))',
      { b: list(object({ schedule: text(253), duration: text() }), 50) },
      [
        [{ b: [{ schedule: 'a' }] }, false],
        [{ b: [{ schedule: 'a', duration: '1h' }] }, true],
      ],
    ],
    [
      "['http', 'https'].exists(p, self.u.startsWith(p + '://'))",
      { u: text(253) },
      [
        [{ u: 'ftp://a' }, false],
        [{ u: 'https://a' }, true],
      ],
    ],
    [
      '(has(self.a) ? 1 : 0) + (has(self.c) ? 1 : 0) <= 1',
      { a: text(253), c: text(253) },
      [
        [{ a: 'x' }, true],
        [{ a: 'x', c: 'y' }, false],
      ],
    ],
    [
      '[has(self.a), has(self.c)].filter(x, x == true).size() == 1',
      { a: text(253), c: text(253) },
      [
        [{ a: 'x' }, true],
        [{ a: 'x', c: 'y' }, false],
        [{}, false],
      ],
    ],
    [
      "self.p == '*' || (isURL(self.p) && url(self.p).getScheme() in ['http','https'] && url(self.p).getHostname().size() > 0)",
      { p: text(253) },
      [
        [{ p: '*' }, true],
        [{ p: 'http://a' }, true],
        [{ p: 'x' }, false],
      ],
    ],
    [
      "self.m.all(k, k.matches('^[a-z0-9.-]+/?[a-z]*$') && size(self.m[k]) <= 63 && !(k in ['kubernetes.io/hostname']))",
      { m: map(text(63), 100) },
      [
        [{ m: { 'a/b': 'c' } }, true],
        [{ m: { 'kubernetes.io/hostname': 'c' } }, false],
      ],
    ],
    [
      'self.minimum <= self.maximum && (has(self.step) && self.step != 0 ? (self.maximum - self.minimum) % self.step == 0 : true)',
      { minimum: { type: 'integer' }, maximum: { type: 'integer' }, step: { type: 'integer' } },
      [
        [{ minimum: 1, maximum: 5, step: 2 }, true],
        [{ minimum: 1, maximum: 6, step: 2 }, false],
        [{ minimum: 1 }, 'error: no such key: maximum'],
      ],
    ],
    [
      "!has(self.e) || duration(self.e) >= duration('1h')",
      { e: text(20) },
      [
        [{ e: '30m' }, false],
        [{ e: '2h' }, true],
        [
          { e: '1 hour' },
          "error: type conversion error from 'string' to 'google.protobuf.Duration'",
        ],
      ],
    ],
    [
      'self.ips.all(i, isIP(i) && ip(i).family() == 4) || self.ips.all(i, isIP(i) && ip(i).family() == 6)',
      { ips: list(text(39), 16) },
      [
        [{ ips: ['10.0.0.1', '::1'] }, false],
        [{ ips: ['10.0.0.1'] }, true],
      ],
    ],
    [
      'self.cidrs.all(c, isCIDR(c) && cidr(c).masked() == cidr(c))',
      { cidrs: list(text(43), 16) },
      [
        [{ cidrs: ['10.0.0.1/8'] }, false],
        [{ cidrs: ['10.0.0.0/8'] }, true],
      ],
    ],
    [
      "!has(self.q) || quantity(string(self.q)).compareTo(quantity('100m')) >= 0",
      { q: { 'x-kubernetes-int-or-string': true, maxLength: 20 } },
      [
        [{ q: 1 }, true],
        [{ q: '50m' }, false],
      ],
    ],
    [
      'self.res.map(r, r.name).all(n, self.res.filter(x, x.name == n).size() == 1)',
      { res: list(object({ name: text(63) }, ['name']), 16) },
      [
        [{ res: [{ name: 'a' }, { name: 'a' }] }, false],
        [{ res: [{ name: 'a' }] }, true],
      ],
    ],
    [
      "self.v.split('.').size() == 3 && self.v.split('.').all(p, p.matches('^[0-9]+$'))",
      { v: text(20) },
      [
        [{ v: '1.2.3' }, true],
        [{ v: '1.2' }, false],
      ],
    ],
    [
      "self.nodes.all(n, n.labels.exists(k, k == 'role') ? n.labels['role'] in ['a','b'] : true)",
      { nodes: list(object({ labels: map(text(63), 10) }, ['labels']), 16) },
      [
        [{ nodes: [{ labels: { role: 'c' } }] }, false],
        [{ nodes: [{ labels: {} }] }, true],
      ],
    ],
  ])('%s', async (rule, fields, expected) => {
    const results = RuleResults.load(fields);
    expect(results.problems(rule)).toEqual([]);
    const found = expected.map(([spec]) => [spec, results.of(rule, spec)]);
    expect(found).toEqual(expected);
  });
});
