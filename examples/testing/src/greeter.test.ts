// #region jest
import { expect, test } from '@jest/globals';
import { greet } from './greet.ts';
import { startGreeter } from './running-greeter.ts';

const enoughForBinaries = 60_000;

test(
  'a Greeting becomes a ConfigMap',
  async () => {
    await using greeter = await startGreeter();
    expect(await greet(greeter.client, 'hello')).toBe('hello');
  },
  enoughForBinaries,
);
// #endregion
