import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { createTestEnvironment } from '@keelson/envtest';
import { createClient, createLogger } from '@keelson/manager';
import { cronJobs } from './custom-resource.ts';
import { MovableClock } from './movable-clock.ts';
import { createOperator } from './operator.ts';
import { tour } from './tour.ts';

const role = fileURLToPath(new URL('../role.yaml', import.meta.url));
const user = 'system:serviceaccount:default:cronjob';

test('the tour prints every step, with the permissions of role.yaml and no more', async () => {
  await using environment = await createTestEnvironment({ use: 'memory' });
  await environment.installCrds([cronJobs.versions.v1.crd]);
  const { cluster } = await environment.addUser({ name: user, groups: ['system:masters'] });
  const logger = createLogger({ level: 'silent' });
  const clock = new MovableClock();
  await using operator = createOperator({ cluster, logger, stopSignals: [] }, clock.now);
  const running = operator.start();
  await using admin = createClient({ cluster: environment.admin.cluster });
  const lines: string[] = [];
  await tour(admin, clock, (line) => lines.push(line));
  const declared = operator.declaredAccess();
  await operator.stop();
  await running;
  expect(lines).toHaveLength(7);
  await environment.checkRoles(user, role, declared);
});
