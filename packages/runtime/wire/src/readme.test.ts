import { expect, test } from '@jest/globals';

// #region use
import { jsonFormat } from '@keelson/wire';

/** Reads key and version of each object of a watch response, without parsing the objects. */
async function* versions(body: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const splitter = jsonFormat.watchSplitter();
  const positions = jsonFormat.positions();
  for await (const chunk of body) {
    for (const { type, buffer, from, to } of splitter.push(chunk)) {
      jsonFormat.scan(buffer, from, to, positions);
      const { name, resourceVersion } = jsonFormat.identity(buffer, from, to, positions);
      yield `${type} ${name} at ${resourceVersion}`;
    }
  }
  splitter.end();
}
// #endregion

test('the code of the README reads identities from a watch response', async () => {
  const object = { kind: 'Pod', metadata: { name: 'a', resourceVersion: '7' } };
  const bytes = Buffer.from(`${JSON.stringify({ type: 'ADDED', object })}\n`);
  async function* body(): AsyncGenerator<Uint8Array> {
    yield await Promise.resolve(bytes.subarray(0, 30));
    yield bytes.subarray(30);
  }
  const read: string[] = [];
  for await (const version of versions(body())) read.push(version);
  expect(read).toEqual(['ADDED a at 7']);
});
