import { expect, test } from '@jest/globals';
import { builtin, type DeepReadonly, type ObjectOf } from '@keelson/apimachinery';
import type { Client } from '../verbs/client.ts';
import { applyAll } from './apply-all.ts';

type Deployment = ObjectOf<typeof builtin.Deployment>;
type Named<T> = T & { apiVersion: string; kind: string };

test('applyAll accepts objects of several kinds, readonly or not, and refuses those without a kind', () => {
  const check = (
    client: Client,
    deployment: Named<Deployment>,
    owner: DeepReadonly<Deployment>,
  ) => {
    const selector = { app: 'web' };
    const service = {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'a' },
      spec: { selector },
    };
    const frozen: DeepReadonly<Named<Deployment>> = deployment;
    void applyAll([deployment, service, frozen], { client, owner });
    void applyAll([{ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'a' }, data: {} }], {
      client,
      owner,
    });
    const done = applyAll([deployment], { client, owner });
    void done.then(({ applied: [first] }) => first?.spec?.replicas);
    void done.then(({ applied: [first] }) => first?.metadata.uid.length);
    void applyAll([], { client, owner, prune: true });
    // @ts-expect-error the object has no kind
    void applyAll([{ metadata: { name: 'a' } }], { client, owner });
    // @ts-expect-error an object without its type, such as one of a typed API
    void applyAll([owner], { client, owner });
    // @ts-expect-error no owner
    void applyAll([deployment], { client });
  };
  expect(check).toBeInstanceOf(Function);
});
