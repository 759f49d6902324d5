import { expect, test } from '@jest/globals';
import { isConflict, StatusError } from '@keelson/apimachinery';
import { retryOnConflict } from './retry-on-conflict.ts';

const conflict = new StatusError({ reason: 'Conflict', code: 409 });

test('retryOnConflict runs a change until it does not conflict', async () => {
  let runs = 0;
  const result = await retryOnConflict(async () => {
    runs++;
    if (runs < 3) throw conflict;
    return 'done';
  });
  expect([result, runs]).toEqual(['done', 3]);
});

test('retryOnConflict throws the conflict after its last attempt', async () => {
  let runs = 0;
  const changed = retryOnConflict(
    async () => {
      runs++;
      throw conflict;
    },
    { attempts: 2, delay: 1 },
  );
  expect(isConflict(await changed.catch((error: unknown) => error))).toBe(true);
  expect(runs).toBe(2);
});

test('retryOnConflict throws any other error, and an abort, at once', async () => {
  let runs = 0;
  const failing = retryOnConflict(async () => {
    runs++;
    throw new Error('other');
  });
  await expect(failing).rejects.toThrow('other');
  const foreign = Object.assign(new Error('foreign'), { code: 409 });
  const wrapped = new Error('wrapped', { cause: foreign });
  for (const error of [foreign, wrapped]) {
    let attempts = 0;
    const changed = retryOnConflict(() => {
      attempts++;
      return Promise.reject(error);
    });
    await expect(changed).rejects.toBe(error);
    expect(attempts).toBe(1);
  }
  const aborted = retryOnConflict(async () => runs++, {
    signal: AbortSignal.abort(new Error('stop')),
  });
  await expect(aborted).rejects.toThrow('stop');
  expect(runs).toBe(1);
});

test('refuses a change that is not a function', async () => {
  await expect(retryOnConflict(undefined as never)).rejects.toMatchObject({
    code: 'INVALID_OPTION',
    facts: { option: 'retryOnConflict.change' },
  });
});
