import { describe, expect, test } from '@jest/globals';

import { apiVersionOf, defineResource, resourceId } from './api-resource.ts';
import { builtin } from './builtin.ts';

const webApp = { group: 'apps.example.com', version: 'v1', kind: 'WebApp', plural: 'webapps' };

describe('defineResource', () => {
  test('makes a frozen token that is namespaced by default', () => {
    const token = defineResource(webApp);
    expect(token).toEqual({ ...webApp, namespaced: true });
    expect(Object.isFrozen(token)).toBe(true);
    expect(defineResource({ ...webApp, scope: 'Cluster' }).namespaced).toBe(false);
    expect(defineResource({ ...webApp, group: '' }).group).toBe('');
  });

  test.each<[string, object]>([
    ['plural', { group: 'a.b', version: 'v1', kind: 'WebApp' }],
    ['plural', { ...webApp, plural: '' }],
    ['plural', { ...webApp, plural: 'WebApps' }],
    ['plural', { ...webApp, plural: 'webapps/status' }],
    ['kind', { ...webApp, kind: '' }],
    ['kind', { ...webApp, kind: 'webApp' }],
    ['version', { ...webApp, version: undefined }],
    ['version', { ...webApp, version: 'apps.example.com/v1' }],
    ['group', { ...webApp, group: undefined }],
    ['group', { ...webApp, group: 'Apps' }],
    ['scope', { ...webApp, scope: 'cluster' }],
    ['namespaced', { ...webApp, namespaced: false }],
    ['namespace', { ...webApp, namespace: true }],
  ])('refuses an invalid %s by its name: %j', (option, options) => {
    expect(() => defineResource(options as typeof webApp)).toThrow(
      expect.objectContaining({
        code: 'INVALID_OPTION',
        facts: expect.objectContaining({ option: `defineResource.${option}` }),
      }),
    );
  });
});

describe('the error of defineResource', () => {
  test.each([
    ['webapps/status', { value: 'webapps/status' }],
    [undefined, {}],
  ])('contains the value %p if there is one', (plural, value) => {
    const option = 'defineResource.plural';
    expect(() => defineResource({ ...webApp, plural: plural as string })).toThrow(
      expect.objectContaining({
        facts: { option, reason: expect.any(String) as unknown, ...value },
      }),
    );
  });
});

describe('apiVersionOf, resourceId', () => {
  test('omit the core group', () => {
    expect(apiVersionOf(builtin.Pod)).toBe('v1');
    expect(apiVersionOf(builtin.Deployment)).toBe('apps/v1');
    expect(resourceId(builtin.Pod)).toBe('v1/pods');
    expect(resourceId(builtin.Deployment)).toBe('apps/v1/deployments');
  });
});
