import { fileURLToPath } from 'node:url';

const folder = new URL('../../../packages/runtime/wire/src/protobuf/', import.meta.url);

/** The file of the table in `@keelson/wire`. */
export const kindTablePath: string = fileURLToPath(new URL('kind-table-text.ts', folder));

/** The file with the responses for its unit tests. */
export const fixturesPath: string = fileURLToPath(new URL('data/go.test-data.json', folder));

/** Returns the contents of that file. The text has neither backquotes nor `\${`. */
export function kindTableFile(text: string): string {
  return `/**
 * The protobuf fields of the built-in kinds and their members in JSON; \`KindTable\` reads it. This file is generated from
 * the struct tags of k8s.io/api (Apache-2.0, The Kubernetes Authors): change e2e/protobuf, then run
 * \`npm run protobuf:table\`.
 */
export const kindTableText: string = \`${text}\`;
`;
}
