import { describe, expect, test } from '@jest/globals';
import { createApiServer } from '@keelson/apiserver';
import { builtin } from '@keelson/apimachinery';
import { webhookServicePlaceholder } from '@keelson/schema';
import { definitionWith, versionWith } from '../../types/code/definition.test-support.ts';
import { firstDifference } from './definition-difference.ts';

type Parameter = Parameters<typeof firstDifference>[0];
type Version = Parameter['spec']['versions'][number];

const base = definitionWith([versionWith({ type: 'object' })]) as Parameter;

function schemaWith(field: object): NonNullable<Version['schema']> {
  return { openAPIV3Schema: { type: 'object', properties: { field } } };
}

function changed(change: (spec: Parameter['spec']) => void): Parameter {
  const copy = structuredClone(base);
  change(copy.spec);
  return copy;
}

describe('the first difference of definitions', () => {
  test('does not exist between a file and what the server makes of it', async () => {
    await using server = await createApiServer();
    server.seed([base]);
    const name = { name: 'widgets.shop.example' };
    const stored = server.object(builtin.CustomResourceDefinition, name) as Parameter;
    expect(stored.spec).not.toEqual(base.spec);
    expect(firstDifference(base, stored)).toBeUndefined();
  });

  test('does not depend on the order of members', () => {
    const { spec, ...others } = base;
    const { versions, names, ...more } = spec;
    const { kind, ...otherNames } = names;
    const reordered = { spec: { versions, names: { ...otherNames, kind }, ...more }, ...others };
    expect(firstDifference(base, reordered)).toBeUndefined();
  });

  test.each<[string, (spec: Parameter['spec']) => void]>([
    ['spec.names.shortNames', ({ names }) => (names.shortNames = ['w'])],
    ['spec.names.listKind', ({ names }) => (names.listKind = 'Widgets')],
    ['spec.scope', (spec) => (spec.scope = 'Cluster')],
    ['spec.conversion.strategy', (spec) => (spec.conversion = { strategy: 'Webhook' })],
    ['spec.preserveUnknownFields', (spec) => (spec.preserveUnknownFields = true)],
    [
      'spec.versions[0].schema.openAPIV3Schema.properties',
      ({ versions }) => {
        const properties = { spec: { type: 'object' } };
        const schema = { openAPIV3Schema: { type: 'object', properties } };
        if (versions[0] !== undefined) versions[0].schema = schema;
      },
    ],
    [
      'spec.versions[1]',
      ({ versions }) => versions.push({ name: 'v2', served: true, storage: false }),
    ],
  ])('is %s', (path, change) => {
    expect(firstDifference(base, changed(change))).toBe(path);
    expect(firstDifference(changed(change), base)).toBe(path);
  });

  test.each<[string, (version: Version) => void]>([
    ['a subresource', (version) => (version.subresources = { status: {} })],
    [
      'a false default',
      (version) => (version.schema = schemaWith({ type: 'boolean', default: false })),
    ],
    ['a minimum of 0', (version) => (version.schema = schemaWith({ type: 'integer', minimum: 0 }))],
  ])('counts %s', (_, change) => {
    const plain = changed(({ versions: [version] }) => {
      if (version !== undefined) version.schema = schemaWith({ type: 'boolean' });
    });
    const other = structuredClone(plain);
    if (other.spec.versions[0] !== undefined) change(other.spec.versions[0]);
    expect(firstDifference(plain, other)).toMatch(/^spec\.versions\[0\]\./);
  });

  test('does not count members with the zero value, which kube-apiserver omits', () => {
    const column = { name: 'Size', type: 'integer', jsonPath: '.spec.size' };
    const spelled = changed(({ names, versions: [version] }) => {
      names.shortNames = [];
      if (version === undefined) return;
      version.deprecated = false;
      version.subresources = {};
      version.additionalPrinterColumns = [{ ...column, priority: 0, description: '' }];
      const schema = { type: 'object', properties: {}, required: [], nullable: false };
      version.schema = { openAPIV3Schema: schema };
    });
    const omitted = changed(({ versions: [version] }) => {
      if (version !== undefined) version.additionalPrinterColumns = [column];
    });
    expect(firstDifference(spelled, omitted)).toBeUndefined();
    expect(firstDifference(omitted, spelled)).toBeUndefined();
  });

  test('does not count the Service that the manifests set in place of the placeholder', () => {
    const webhook = (service: { namespace: string; name: string }): Parameter =>
      changed((spec) => {
        const clientConfig = { service: { ...service, path: '/convert' } };
        const conversion = { clientConfig, conversionReviewVersions: ['v1'] };
        spec.conversion = { strategy: 'Webhook', webhook: conversion };
      });
    const placeholder = webhook({ ...webhookServicePlaceholder });
    const installed = webhook({ namespace: 'shop', name: 'operator-webhook' });
    expect(firstDifference(placeholder, installed)).toBeUndefined();
    expect(firstDifference(installed, placeholder)).toMatch(/^spec\.conversion\./);
  });

  test('does not count the port and the injected certificates of a webhook', () => {
    const service = { namespace: 'a', name: 'b' };
    const webhook = (clientConfig: object): Parameter =>
      changed((spec) => {
        const conversion = { clientConfig, conversionReviewVersions: ['v1'] };
        spec.conversion = { strategy: 'Webhook', webhook: conversion };
      });
    const present = webhook({ service: { ...service, port: 443 }, caBundle: 'abc=' });
    expect(firstDifference(webhook({ service }), present)).toBeUndefined();
    expect(firstDifference(webhook({ service, caBundle: 'def=' }), present)).toBe(
      'spec.conversion.webhook.clientConfig.caBundle',
    );
  });
});
