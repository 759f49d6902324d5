/**
 * Records which columns the Tables of a real kube-apiserver have, with the words that explain them:
 *
 *     kubectl proxy --port 8001 & npm run record:columns -- http://127.0.0.1:8001
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';
import { builtinResources } from '../src/kinds/builtin-resources.ts';
import { newestVersion } from '../src/releases/kubernetes-version.ts';

const server = process.argv[2];
if (server === undefined)
  throw new Error('usage: npm run record:columns -- URL_OF_A_KUBECTL_PROXY');

const columns: Record<string, unknown> = {};
for (const { group, version, plural, verbs } of builtinResources(newestVersion)) {
  if (!verbs.includes('list')) continue;
  const root = group === '' ? '/api' : `/apis/${group}`;
  columns[`${group === '' ? '' : `${group}/`}${version}/${plural}`] = await definitionsOf(
    `${root}/${version}/${plural}?limit=1`,
  );
}
const text = JSON.stringify(columns);
const params = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY };
writeFileSync(join(import.meta.dirname, 'columns.json.br'), brotliCompressSync(text, { params }));

async function definitionsOf(path: string): Promise<unknown> {
  const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io';
  const response = await fetch(`${server}${path}`, { headers: { accept } });
  const { columnDefinitions } = (await response.json()) as { columnDefinitions?: unknown };
  if (columnDefinitions === undefined) throw new Error(`${path} is no table`);
  return columnDefinitions;
}
