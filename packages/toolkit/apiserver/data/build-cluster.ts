/**
 * Writes the objects of a new cluster, which `src/server/written-cluster.test-support.ts` creates, into the data file with which
 * servers start:
 *
 *     npm run data:cluster
 *
 * Run it after `npm run record:policy`, and after a change of defaults or of the ownership of fields.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';
import { writtenCluster } from '../src/server/written-cluster.test-support.ts';

const params = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY };
const file = join(import.meta.dirname, 'new-cluster.json.br');
writeFileSync(file, brotliCompressSync(writtenCluster(), { params }));
