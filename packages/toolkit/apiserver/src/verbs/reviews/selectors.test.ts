import { describe, expect, test } from '@jest/globals';
import { clientOfRunningServer } from '../../server/running-server.test-support.ts';

const path = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';

// Recorded from kube-apiserver 1.36.3.
describe('the selectors of an access review', () => {
  const client = clientOfRunningServer();
  const review = (attributes: object) =>
    client.post(path, { spec: { resourceAttributes: { verb: 'list', ...attributes } } });

  test.each([
    [{ labelSelector: {} }, ['labelSelector.requirements']],
    [{ fieldSelector: { requirements: [] } }, ['fieldSelector.requirements']],
    [
      { labelSelector: { rawSelector: 'a', requirements: [{ key: 'a', operator: 'Exists' }] } },
      ['labelSelector.rawSelector'],
    ],
    [
      { fieldSelector: { requirements: [{ key: '', operator: 'In' }] } },
      ['fieldSelector.requirements[0].key', 'fieldSelector.requirements[0].values'],
    ],
    [
      { labelSelector: { requirements: [{ key: 'a b', operator: 'Exists', values: ['c'] }] } },
      ['labelSelector.requirements[0].values', 'labelSelector.requirements[0].key'],
    ],
  ])('%j is refused', async (selectors, fields) => {
    const { code, body } = await review(selectors);
    const causes = body.details.causes as { field: string }[];
    expect([code, causes.map(({ field }) => field)]).toEqual([
      422,
      fields.map((field) => `spec.resourceAttributes.${field}`),
    ]);
  });

  test.each([
    [{ labelSelector: { rawSelector: 'a in (' } }, 'labelSelector ignored'],
    [{ fieldSelector: { rawSelector: 'a' } }, 'fieldSelector ignored'],
    [
      { labelSelector: { requirements: [{ key: 'a', operator: 'Like' }] } },
      'labelSelector ignored',
    ],
    [
      { fieldSelector: { requirements: [{ key: 'a', operator: 'Exists' }] } },
      'fieldSelector ignored',
    ],
    [
      {
        fieldSelector: {
          requirements: [
            { key: 'a', operator: 'In', values: ['b'] },
            { key: 'a', operator: 'In', values: ['b', 'c'] },
          ],
        },
      },
      'fieldSelector partially ignored',
    ],
  ])('%j is reported as ignored', async (selectors, text) => {
    const { code, body } = await review(selectors);
    expect([code, body.status.evaluationError]).toEqual([
      201,
      `spec.resourceAttributes.${text} due to parse error`,
    ]);
  });

  test('that the server knows are not reported', async () => {
    const requirements = [{ key: 'a', operator: 'In', values: ['b'] }];
    const selectors = { labelSelector: { rawSelector: 'a=b' }, fieldSelector: { requirements } };
    expect((await review(selectors)).body.status).toEqual({ allowed: true });
  });
});
