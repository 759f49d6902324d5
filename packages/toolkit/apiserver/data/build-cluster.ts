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
import { writtenCluster } from '../src/server/written-cluster.test-support.ts';

writeFileSync(join(import.meta.dirname, 'new-cluster.jsonl'), writtenCluster());
