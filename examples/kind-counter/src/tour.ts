import { install, until, type Definition } from '@keelson/example-support';
import { builtin, defineResource, type Client } from '@keelson/manager';
import { Tally } from './custom-resource.ts';

const namespace = 'default';
const comet = { group: 'examples.keelson.dev', version: 'v1', kind: 'Comet', plural: 'comets' };
const Comet = defineResource(comet);

const cometDefinition: Definition = {
  metadata: { name: `${comet.plural}.${comet.group}` },
  spec: {
    group: comet.group,
    scope: 'Namespaced',
    names: { kind: comet.kind, plural: comet.plural },
    versions: [
      { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } },
    ],
  },
};

/** Counts a served kind, then a kind that is served later, and stops counting. */
export async function tour(client: Client, say: (line: string) => void): Promise<void> {
  const untilCount = (name: string, count: number): Promise<unknown> =>
    until(client, Tally, { namespace, name }, (tally) => tally?.status?.count === count);

  const secret = { group: '', version: 'v1', kind: 'Secret', plural: 'secrets' };
  await client.create(Tally, { metadata: { namespace, name: 'secrets' }, spec: secret });
  await untilCount('secrets', 0);
  say('created Tally secrets: a watch of Secrets was added, there are 0');

  await client.create(builtin.Secret, { metadata: { namespace, name: 'one' } });
  await untilCount('secrets', 1);
  say('created a Secret: there is 1');

  await client.create(Tally, { metadata: { namespace, name: 'comets' }, spec: comet });
  say('created Tally comets, of a kind that the server does not know');

  await install(client, [cometDefinition]);
  await untilCount('comets', 0);
  await client.create(Comet, { metadata: { namespace, name: 'halley' } });
  await untilCount('comets', 1);
  say('installed its definition and created a Comet: the watch went live by itself, there is 1');

  await client.delete(Tally, { namespace, name: 'secrets' });
  say('deleted Tally secrets: the watch of Secrets is removed with it');
}
