import { until } from '@keelson/example-support';
import type { Client } from '@keelson/manager';
import { Claim, Thing } from './custom-resources.ts';

/** Creates claims and things, takes a claim away, and prints the bindings. */
export async function tour(client: Client, say: (line: string) => void): Promise<void> {
  await client.create(Thing, { metadata: { name: 'small' }, spec: { size: 1 } });
  await client.create(Thing, { metadata: { name: 'large' }, spec: { size: 10 } });
  say('created Things small (1) and large (10)');

  for (const [name, size] of [
    ['first', 5],
    ['second', 3],
  ] as const) {
    await client.create(Claim, { metadata: { namespace: 'default', name }, spec: { size } });
    say(`created Claim ${name}, which wants ${size}`);
    const settled = await until(client, Claim, { namespace: 'default', name }, hasPhase);
    say(
      `Claim ${name} is ${settled?.status?.phase}: ${settled?.status?.thing ?? 'nothing large enough is free'}`,
    );
  }

  await client.delete(Claim, { namespace: 'default', name: 'first' });
  say('deleted Claim first');
  const second = { namespace: 'default', name: 'second' };
  const bound = await until(client, Claim, second, (claim) => claim?.status?.phase === 'Bound');
  say(`Claim second is Bound: ${bound?.status?.thing}`);
}

function hasPhase(claim: Claim | undefined): boolean {
  return claim?.status?.phase !== undefined;
}
