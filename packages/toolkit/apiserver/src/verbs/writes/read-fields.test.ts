import { describe, expect, test } from '@jest/globals';
import { clientOfRunningServer } from '../../server/running-server.test-support.ts';

const maps = '/api/v1/namespaces/default/configmaps?dryRun=All&fieldValidation';
const json = { 'content-type': 'application/json' };

describe('Strict decoding', () => {
  const client = clientOfRunningServer();

  const problemsOf = async (text: string): Promise<string[]> => {
    const { body } = await client.post(`${maps}=Strict`, text, json);
    return String(body.message).split('strict decoding error: ')[1]?.split(', ') ?? [];
  };

  test('reports unknown and duplicate fields in the order of the text', async () => {
    const text =
      '{"zeta":1,"metadata":{"name":"s","name":"t","odd":1},"alpha":{"a":1,"a":2},"zeta":2}';
    expect(await problemsOf(text)).toEqual([
      'unknown field "zeta"',
      'duplicate field "metadata.name"',
      'unknown field "metadata.odd"',
      'unknown field "alpha"',
    ]);
  });

  test('reports an unknown field in an object that occurs twice', async () => {
    const text = '{"metadata":{"odd":1,"name":"a"},"metadata":{"labels":{"a":"b"}}}';
    expect(await problemsOf(text)).toEqual([
      'unknown field "metadata.odd"',
      'duplicate field "metadata"',
    ]);
  });

  test.each(['Warn', 'Ignore'])('merges an object that occurs twice under %s', async (mode) => {
    const text =
      '{"metadata":{"name":"a","labels":{"a":"1","b":"1"}},"metadata":{"labels":{"b":"2"}},"data":{"x":"1"},"data":{"y":"2"}}';
    const { body, headers } = await client.post(`${maps}=${mode}`, text, json);
    expect([body.metadata.name, body.metadata.labels, body.data]).toEqual([
      'a',
      { a: '1', b: '2' },
      { x: '1', y: '2' },
    ]);
    const warnings = '299 - "duplicate field \\"metadata\\"", 299 - "duplicate field \\"data\\""';
    expect(headers.get('warning')).toBe(mode === 'Warn' ? warnings : null);
  });
});
