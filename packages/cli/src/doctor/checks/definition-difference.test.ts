import { describe, expect, test } from '@jest/globals';
import { createApiServer } from '@keelson/apiserver';
import { builtin } from '@keelson/apimachinery';
import { definitionWith, versionWith } from '../../types/code/definition.test-support.ts';
import { firstDifference } from './definition-difference.ts';

type Parameter = Parameters<typeof firstDifference>[0];

const base = definitionWith([versionWith({ type: 'object' })]) as Parameter;

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
        const schema = { openAPIV3Schema: { type: 'object', properties: {} } };
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
