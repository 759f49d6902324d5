import { readFileSync } from 'node:fs';

import { expect, test } from '@jest/globals';

// README begins here
import {
  defineResource,
  matchesLabels,
  parseLabelSelector,
  setCondition,
  type Condition,
  type KubernetesObject,
} from './index.ts';

interface WebApp extends KubernetesObject {
  spec: { image: string };
  status?: { conditions?: Condition[] };
}

const WebApp = defineResource<WebApp>({
  group: 'apps.example.com',
  version: 'v1',
  kind: 'WebApp',
  plural: 'webapps',
});

const selector = parseLabelSelector('app=web,tier in (front, back),!legacy');
const selected = matchesLabels(selector, { app: 'web', tier: 'front' }); // true

const conditions = setCondition(undefined, {
  type: 'Ready',
  status: 'True',
  reason: 'Deployed',
  message: 'all replicas are available',
});
// README ends here

test('the code in the README is the code of this file, and does what it says', () => {
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
  const self = readFileSync(new URL(import.meta.url), 'utf8');
  const [, code = ''] = self.split(/\/\/ README (?:begins|ends) here\n/);
  expect(readme).toContain(code.replace("'./index.ts'", "'@keelson/apimachinery'"));
  expect(selected).toBe(true);
  expect(WebApp.namespaced).toBe(true);
  expect(conditions).toEqual([expect.objectContaining({ type: 'Ready', status: 'True' })]);
});
