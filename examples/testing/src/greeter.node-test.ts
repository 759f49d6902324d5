// #region node-test
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { greet } from './greet.ts';
import { startGreeter } from './running-greeter.ts';

test('a Greeting becomes a ConfigMap', async () => {
  await using greeter = await startGreeter();
  assert.equal(await greet(greeter.client, 'hello'), 'hello');
});
// #endregion
