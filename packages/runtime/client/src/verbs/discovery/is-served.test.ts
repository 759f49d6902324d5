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

/** Runs `isServed` on a server that has these documents and responds to everything else with 404. */
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

  test('rejects for a gateway that responds to everything with 404', async () => {
    expect(await rejection(ask({}))).toMatchObject({ statusCode: 404 });
    expect(await rejection(ask({}, builtin.Pod))).toMatchObject({ statusCode: 404 });
    expect(await ask({ '/api/v1': pods }, builtin.Pod)).toBe(true);
  });

  test('rejects for an HTML page of a gateway', async () => {
    for (const path of ['/apis/apps/v1', '/apis']) {
      const error = await rejection(ask({ [path]: { kind: 'Status' } }));
      expect(error).toMatchObject({ code: 'UNEXPECTED_RESPONSE', facts: { path } });
    }
  });
});
