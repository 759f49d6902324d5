import { describe, expect, test } from '@jest/globals';
import { createTestEnvironment } from './index.ts';

describe('a stopped test environment', () => {
  test('refuses to be used, and to stop again is harmless', async () => {
    const environment = await createTestEnvironment({ use: 'memory' });
    await environment.stop();
    const late = { code: 'ENVIRONMENT_STOPPED' };
    await expect(environment.addUser({ name: 'late' })).rejects.toMatchObject(late);
    await expect(environment.installCrds([])).rejects.toMatchObject(late);
    await environment.stop();
  });
});
