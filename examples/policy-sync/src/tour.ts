import { until } from '@keelson/example-support';
import { builtin, type Client } from '@keelson/manager';
import { constraintsOf, PolicyTemplate, SyncConfig } from './custom-resources.ts';

const configMaps = { group: '', version: 'v1', kind: 'ConfigMap', plural: 'configmaps' };
const secrets = { group: '', version: 'v1', kind: 'Secret', plural: 'secrets' };
const namespace = 'default';

/** Defines a kind of policy, checks two kinds, and takes first a kind and then the policy away. */
export async function tour(client: Client, say: (line: string) => void): Promise<void> {
  const spec = { kind: 'RequiredLabels', plural: 'requiredlabels', requires: 'labels' } as const;
  const template = await client.create(PolicyTemplate, { metadata: { name: 'labels' }, spec });
  const RequiredLabels = constraintsOf(template);
  await until(
    client,
    builtin.CustomResourceDefinition,
    { name: 'requiredlabels.constraints.policy.keelson.dev' },
    (found) => {
      return (
        found?.status?.conditions?.some(
          ({ type, status }) => type === 'Established' && status === 'True',
        ) === true
      );
    },
  );
  say('created PolicyTemplate labels: the server serves its kind RequiredLabels');

  await client.create(builtin.ConfigMap, { metadata: { namespace, name: 'plain' } });
  await client.create(builtin.Secret, { metadata: { namespace, name: 'plain' } });
  await client.create(SyncConfig, {
    metadata: { name: 'config' },
    spec: { kinds: [configMaps, secrets] },
  });
  const name = 'owner';
  const match = ['configmaps', 'secrets'];
  await client.create(RequiredLabels, { metadata: { name }, spec: { match, keys: ['owner'] } });
  const untilViolated = async (object: string, isViolated: boolean): Promise<number> => {
    const constraint = await until(client, RequiredLabels, { name }, (found) => {
      return found?.status?.objects?.includes(object) === isViolated;
    });
    return constraint?.status?.violations ?? 0;
  };
  await untilViolated('configmaps default/plain', true);
  await untilViolated('secrets default/plain', true);
  say('created a constraint and a SyncConfig: both objects without the label are reported');

  const label = { type: 'merge', body: { metadata: { labels: { owner: 'me' } } } } as const;
  await client.patch(builtin.ConfigMap, { namespace, name: 'plain' }, label);
  await untilViolated('configmaps default/plain', false);
  say('labelled the ConfigMap: it is not reported any more');

  const fewer = { type: 'merge', body: { spec: { kinds: [configMaps] } } } as const;
  await client.patch(SyncConfig, { name: 'config' }, fewer);
  await untilViolated('secrets default/plain', false);
  say(
    'removed Secrets from the SyncConfig: their watch has ended, and what was derived from them is gone',
  );

  await client.delete(PolicyTemplate, { name: 'labels' });
  await until(
    client,
    builtin.CustomResourceDefinition,
    { name: 'requiredlabels.constraints.policy.keelson.dev' },
    (found) => {
      return found === undefined;
    },
  );
  say('deleted the template: its kind and its constraints went with it, without a finalizer');
}
