import { readFileSync } from 'node:fs';

/** A response that Go's encoders wrote in both forms; `e2e/protobuf` generates them. */
export interface GoFixture {
  readonly protobuf: Buffer;
  /** The object or the list; of a watch, its events. */
  readonly json: readonly unknown[];
}

interface Recorded {
  readonly name: string;
  readonly protobuf: string;
  readonly json: readonly unknown[];
}

/** Every response by its name: the kind of an object, `list` or `watch`. */
export const goFixtures: ReadonlyMap<string, GoFixture> = new Map(
  (
    JSON.parse(
      readFileSync(new URL('data/go.test-data.json', import.meta.url), 'utf8'),
    ) as Recorded[]
  ).map(({ name, protobuf, json }) => [name, { protobuf: Buffer.from(protobuf, 'base64'), json }]),
);

export function goFixture(name: string): GoFixture {
  const found = goFixtures.get(name);
  if (found === undefined) throw new Error(`no fixture ${name}`);
  return found;
}
