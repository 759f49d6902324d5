import { describe, expect, test } from '@jest/globals';
import type { JsonObject } from '@keelson/structural-schema';
import { decodeNestedSchemas, pruneNestedSchemas } from './nested-schemas.ts';
import { validateDefinition } from './validate-definition.ts';

const schema = {
  type: 'object',
  properties: {
    spec: { type: 'object', properties: { a: { type: 'string' }, n: { type: 'number' } } },
  },
};
const names = { plural: 'gizmos', singular: 'gizmo', kind: 'Gizmo', listKind: 'GizmoList' };

function definitionOf(version: object, spec: object = {}, metadata: object = {}): JsonObject {
  const own = { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } };
  return {
    metadata: { name: 'gizmos.judge.example', ...metadata },
    spec: {
      group: 'judge.example',
      scope: 'Namespaced',
      names,
      versions: [{ ...own, ...version }],
      ...spec,
    },
  };
}

function causesOf(definition: JsonObject, old?: JsonObject): string[] {
  return validateDefinition(definition, old).map(({ field, message }) => `${field}: ${message}`);
}

const established = {
  status: { conditions: [{ type: 'Established', status: 'True' }], storedVersions: ['v1'] },
};

function conversionOf(
  clientConfig: object,
  conversionReviewVersions: readonly string[] = ['v1'],
): object {
  return {
    conversion: { strategy: 'Webhook', webhook: { clientConfig, conversionReviewVersions } },
  };
}

describe('a definition', () => {
  test('keeps a default with the metadata of its embedded objects as Go decodes it', () => {
    const pod = { apiVersion: 'v1', kind: 'Pod' };
    const metadata = { name: 'a', zz: 1, creationTimestamp: null, labels: {}, finalizers: [] };
    const embedded = {
      type: 'object',
      'x-kubernetes-embedded-resource': true,
      'x-kubernetes-preserve-unknown-fields': true,
    };
    const list = { type: 'array', items: embedded, default: [{ ...pod, metadata: null }] };
    const one = { ...embedded, default: { ...pod, metadata, zz: 1 } };
    const openAPIV3Schema = { type: 'object', properties: { one, list } };
    const definition = definitionOf({ schema: { openAPIV3Schema } });
    expect(causesOf(definition)).toEqual([]);
    expect(one.default).toEqual({ ...pod, metadata: { name: 'a' }, zz: 1 });
    expect(list.default).toEqual([{ ...pod, metadata: {} }]);
  });

  test('is refused for each part of its printer columns', () => {
    const additionalPrinterColumns = [
      { name: '', type: 'x', jsonPath: 'a', format: 'uuid' },
      { name: 'A', type: '', jsonPath: '' },
    ];
    const types = 'boolean,date,integer,number,string';
    expect(causesOf(definitionOf({ additionalPrinterColumns }))).toEqual([
      'spec.additionalPrinterColumns[0].name: Required value',
      `spec.additionalPrinterColumns[0].type: Invalid value: "x": must be one of ${types}`,
      'spec.additionalPrinterColumns[0].format: Invalid value: "uuid": must be one of byte,date,date-time,double,float,int32,int64,password',
      'spec.additionalPrinterColumns[0].JSONPath: Invalid value: "a": must be a simple json path starting with .',
      `spec.additionalPrinterColumns[1].type: Required value: must be one of ${types}`,
      'spec.additionalPrinterColumns[1].JSONPath: Required value',
    ]);
  });

  test('is refused for selectable fields that no selector can read', () => {
    const paths = ['.spec.a', '.spec.a', '.spec.n', '.spec.x', '', ".spec['a']"];
    const selectableFields = paths.map((jsonPath) => ({ jsonPath }));
    expect(causesOf(definitionOf({ selectableFields }))).toEqual([
      'spec.selectableFields[1].jsonPath: Duplicate value: ".spec.a"',
      expect.stringMatching(
        /^spec\.selectableFields\[2\].*must point to a field of type string, boolean or integer/,
      ),
      'spec.selectableFields[3].jsonPath: Invalid value: ".spec.x": is an invalid path: does not refer to a valid field',
      'spec.selectableFields[4].jsonPath: Required value',
      `spec.selectableFields[5].jsonPath: Invalid value: ".spec['a']": is an invalid path: array notation is not allowed`,
    ]);
  });

  test('may have eight selectable fields', () => {
    const members = Array.from({ length: 9 }, (_, index) => `m${index}`);
    const properties = Object.fromEntries(members.map((name) => [name, { type: 'string' }]));
    const openAPIV3Schema = {
      type: 'object',
      properties: { spec: { type: 'object', properties } },
    };
    const fields = (count: number): object[] =>
      members.slice(0, count).map((name) => ({ jsonPath: `.spec.${name}` }));
    const own = (count: number): JsonObject =>
      definitionOf({ schema: { openAPIV3Schema }, selectableFields: fields(count) });
    expect(causesOf(own(8))).toEqual([]);
    expect(causesOf(own(9))).toEqual([
      'spec.selectableFields: Too many: 9: must have at most 8 items',
    ]);
  });

  test('is validated in the internal form, where equal parts of versions stand once', () => {
    const other = { type: 'object', properties: {} };
    const own = { served: true, storage: false, selectableFields: [{ jsonPath: '.spec.a' }] };
    const versions = [
      { ...own, name: 'v1', storage: true, schema: { openAPIV3Schema: schema } },
      { ...own, name: 'v2', schema: { openAPIV3Schema: other } },
    ];
    expect(causesOf(definitionOf({}, { versions }))).toEqual([
      'spec.selectableFields: Invalid value: "": may only be set when validations.schema is included',
    ]);
  });

  test('is refused for a webhook that cannot be called', () => {
    const url = 'http://u@h?a#b';
    const field = 'spec.conversion.webhookClientConfig.url';
    expect(causesOf(definitionOf({}, conversionOf({ url }, ['v2', 'v2'])))).toEqual([
      `${field}: Invalid value: "http": 'https' is the only allowed URL scheme; desired format: https://host[/path]`,
      `${field}: Invalid value: "u": user information is not permitted in the URL`,
      `${field}: Invalid value: "b": fragments are not permitted in the URL`,
      `${field}: Invalid value: "a": query parameters are not permitted in the URL`,
      'spec.conversion.conversionReviewVersions[1]: Invalid value: "v2": duplicate version',
      'spec.conversion.conversionReviewVersions: Invalid value: ["v2","v2"]: must include at least one of v1, v1beta1',
    ]);
    const service = { name: '', namespace: 'a', path: 'x//y', port: 0 };
    const place = 'spec.conversion.webhookClientConfig.service';
    expect(causesOf(definitionOf({}, conversionOf({ service })))).toEqual([
      `${place}.namespace: Required value`,
      `${place}.port: Invalid value: 0: port is not valid: must be between 1 and 65535, inclusive`,
      `${place}.path: Invalid value: "x//y": must start with a '/'`,
      `${place}.path: Invalid value: "x//y": segment[0] may not be empty`,
      `${place}.path: Invalid value: "x//y": segment[1] may not be empty`,
    ]);
  });

  // The errors are those of Go's `url.Parse`.
  test.each([
    ['https://a:b', String.raw`parse "https://a:b": invalid port ":b" after host`],
    ['https://a b', String.raw`parse "https://a b": invalid character " " in host name`],
    ['https://%zz', String.raw`parse "https://%zz": invalid URL escape "%zz"`],
    ['https://a/%zz#b', String.raw`parse "https://a/%zz": invalid URL escape "%zz"`],
    ['https://a#%zz', String.raw`parse "https://a#%zz": invalid URL escape "%zz"`],
    ['https://[::1', `parse "https://[::1": missing ']' in host`],
    ['https://a\n', String.raw`parse "https://a\n": net/url: invalid control character in URL`],
    ['%a:b', 'parse "%a:b": first path segment in URL cannot contain colon'],
    [':a', 'parse ":a": missing protocol scheme'],
  ])('is refused for the webhook %j', (url, problem) => {
    const form = '; desired format: https://host[/path]';
    const causes = causesOf(definitionOf({}, conversionOf({ url })));
    expect(causes).toEqual([
      `spec.conversion.webhookClientConfig.url: Required value: url must be a valid URL: ${problem}${form}`,
    ]);
  });

  test.each([
    'https://a',
    'HTTPS://a:80/b',
    'https://[::1]:80',
    'https://a/ b',
    'https://a"b',
    'https://a?#',
  ])('accepts the webhook %j', (url) => {
    expect(causesOf(definitionOf({}, conversionOf({ url })))).toEqual([]);
  });

  test('may have an invalid authority until it is established, and as long as it was invalid before', () => {
    const wrong = definitionOf({}, conversionOf({ url: 'https://a', caBundle: 'YQ==' }));
    const right = { ...definitionOf({}), ...established };
    expect(causesOf(wrong)).toEqual([]);
    expect(causesOf({ ...wrong, ...established }, right)).toEqual([
      expect.stringMatching(
        /^spec\.conversion\.webhookClientConfig\.caBundle: .*unable to load root certificates/,
      ),
    ]);
    expect(causesOf({ ...wrong, ...established }, { ...wrong, ...established })).toEqual([]);
  });

  test('of a group of Kubernetes needs an approval', () => {
    const name = 'gizmos.k8s.io';
    const approved = (text: string): JsonObject =>
      definitionOf(
        {},
        { group: 'k8s.io' },
        { name, annotations: { 'api-approved.kubernetes.io': text } },
      );
    expect(causesOf(definitionOf({}, { group: 'k8s.io' }, { name }))).toEqual([
      expect.stringMatching(
        /^metadata\.annotations\[api-approved\.kubernetes\.io\]: Required value/,
      ),
    ]);
    expect(causesOf(approved('x'))).toEqual([
      expect.stringMatching(/: Invalid value: "x": protected/),
    ]);
    for (const wrong of ['https://%zz', 'https://a b', '//a', 'https:a', 'https://a/#%zz', '*']) {
      expect(causesOf(approved(wrong))).toHaveLength(1);
    }
    expect(causesOf(approved('unapproved, a test'))).toEqual([]);
    expect(causesOf(approved('https://github.com/kubernetes/kubernetes/pull/1'))).toEqual([]);
  });

  test('cannot preserve unknown fields for all versions', () => {
    expect(causesOf(definitionOf({}, { preserveUnknownFields: true }))).toEqual([
      expect.stringMatching(
        /^spec\.preserveUnknownFields: Invalid value: true: cannot set to true/,
      ),
    ]);
  });

  test('with two versions of one name stores one of them', () => {
    const own = { name: 'v1', served: true, schema: { openAPIV3Schema: schema } };
    const versions = [
      { ...own, storage: false },
      { ...own, storage: true },
    ];
    expect(causesOf(definitionOf({}, { versions }))).toEqual([
      expect.stringMatching(/^spec\.versions: .*must contain unique version names$/),
      'status.storedVersions: Invalid value: ["v1"]: must have the storage version v1',
    ]);
  });
});

describe('the schemas in items and values of maps', () => {
  function nested(items: object): JsonObject {
    const array = { type: 'array', items };
    const openAPIV3Schema = {
      type: 'object',
      properties: { a: { type: 'object', additionalProperties: array } },
    };
    return definitionOf({ schema: { openAPIV3Schema } });
  }

  test('lose their unknown and empty keywords', () => {
    const definition = nested({ type: 'string', odd: 1, nullable: false, enum: [] });
    const place = 'spec.versions[0].schema.openAPIV3Schema.properties.a.additionalProperties.items';
    expect(pruneNestedSchemas(definition)).toEqual([`${place}.odd`]);
    decodeNestedSchemas(definition);
    expect(definition).toEqual(nested({ type: 'string' }));
  });

  test('are refused if a keyword has another type', () => {
    expect(() => decodeNestedSchemas(nested({ type: 5 }))).toThrow(/cannot unmarshal number/);
  });
});
