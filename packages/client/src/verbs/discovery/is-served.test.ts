import { describe, expect, test } from '@jest/globals';
import { builtin, type ApiResource } from '@keelson/apimachinery';
import { openClient } from '../../testing/open-client.test-support.ts';
import { json, rejection, status } from '../../testing/recording-server.test-support.ts';

const { signal } = new AbortController();

type Documents = Readonly<Record<string, object>>;

const pods = { kind: 'APIResourceList', resources: [{ name: 'pods', kind: 'Pod' }] };
const deployments = {
  kind: 'APIResourceList',
  resources: [{ name: 'deployments', kind: 'Deployment' }],
};
const groups = (...names: string[]): object => ({
  kind: 'APIGroupList',
  groups: names.map((name) => ({ name, versions: [{ version: 'v1' }] })),
});

/** Asks a server that has these documents and responds 404 to everything else. */
async function ask(documents: Documents, resource: ApiResource = builtin.Deployment) {
  await using setup = await openClient(({ url }, response) => {
    const document = documents[url.pathname];
    if (document === undefined) status(response, 404, 'NotFound');
    else json(response, document);
  });
  return await setup.client.listerWatcher({ resource }).isServed(signal);
}

describe('isServed', () => {
  test.each<[string, Documents, boolean]>([
    ['names it', { '/apis/apps/v1': deployments }, true],
    ['names other resources of the group version', { '/apis/apps/v1': pods }, false],
    [
      'has an empty group version',
      { '/apis/apps/v1': { kind: 'APIResourceList', resources: null } },
      false,
    ],
    ['names no such group', { '/apis': groups('batch') }, false],
    ['has no groups', { '/apis': { kind: 'APIGroupList', groups: null } }, false],
    ['names a group version that does not respond', { '/apis': groups('apps') }, true],
  ])('discovery that %s', async (_name, documents, expected) => {
    expect(await ask(documents)).toBe(expected);
  });

  test('a gateway that responds 404 to everything confirms nothing', async () => {
    expect(await rejection(ask({}))).toMatchObject({ statusCode: 404 });
    expect(await rejection(ask({}, builtin.Pod))).toMatchObject({ statusCode: 404 });
    expect(await ask({ '/api/v1': pods }, builtin.Pod)).toBe(true);
  });

  test('a page of a gateway is no discovery document', async () => {
    for (const path of ['/apis/apps/v1', '/apis']) {
      const error = await rejection(ask({ [path]: { kind: 'Status' } }));
      expect(error).toMatchObject({ code: 'UNEXPECTED_RESPONSE', facts: { path } });
    }
  });
});
