import { describe, expect, test } from '@jest/globals';
import { StatusError } from '@keelson/apimachinery';
import type { Client } from '@keelson/client';
import type { Served } from '../objects/find-resource.ts';
import { listObjects } from './list-objects.ts';

interface Page {
  readonly names: readonly string[];
  readonly next?: string;
}

interface Query {
  readonly limit: number | undefined;
  readonly continue: string | undefined;
}

/** More pages than a test needs. */
const MANY = 150;
const pods = { group: '', version: 'v1', kind: 'Pod', plural: 'pods', namespaced: true } as const;

/** Reads the names of a list whose pages the function returns; undefined is a 410. */
async function namesOf(
  pageOf: (query: Query, request: number) => Page | undefined,
): Promise<string[]> {
  let requests = 0;
  const request = async ({ query }: { query: Query }): Promise<{ body: string }> => {
    requests += 1;
    if (requests > MANY) throw new Error('the list did not end');
    const page = pageOf(query, requests);
    if (page === undefined) throw new StatusError({ code: 410, reason: 'Expired', message: 'old' });
    const items = page.names.map((name) => ({
      metadata: { namespace: 'shop', name, resourceVersion: '1' },
    }));
    return { body: JSON.stringify({ metadata: { continue: page.next }, items }) };
  };
  const client = { request } as unknown as Client;
  const names: string[] = [];
  const selection = { namespace: undefined, selector: undefined };
  for await (const { items, isFirst } of listObjects(
    client,
    pods as unknown as Served,
    selection,
  )) {
    if (isFirst) names.length = 0;
    names.push(...items.map(({ metadata }) => metadata?.name ?? ''));
  }
  return names;
}

describe('listObjects', () => {
  test('replaces the pages by all objects at once after an expired token', async () => {
    const found = await namesOf(({ continue: token, limit }) => {
      if (token === undefined && limit !== undefined) return { names: ['a'], next: 'old' };
      return token === undefined ? { names: ['a', 'b'] } : undefined;
    });
    expect(found).toEqual(['a', 'b']);
  });

  test.each<[string, (query: Query, request: number) => Page]>([
    ['the same continue token', (_, request) => ({ names: [`n${request}`], next: 'again' })],
    ['continue tokens in turn', (_, request) => ({ names: [], next: `${request % 3}` })],
    ['the same page under new tokens', (_, request) => ({ names: ['a'], next: `${request}` })],
    ['pages without objects', (_, request) => ({ names: [], next: `${request}` })],
  ])('ends a list that repeats %s', async (_, pageOf) => {
    await expect(namesOf(pageOf)).rejects.toMatchObject({ code: 'SNAPSHOT_ENDLESS' });
  });

  test('reads pages without objects between others', async () => {
    const found = await namesOf((_, request) => ({
      names: request % 50 === 0 ? [`${request}`] : [],
      ...(request < 150 && { next: `${request}` }),
    }));
    expect(found).toEqual(['50', '100', '150']);
  });

  test('fails if the whole list has a token that expires too', async () => {
    const found = namesOf(({ continue: token }) =>
      token === undefined ? { names: ['a'], next: 'old' } : undefined,
    );
    await expect(found).rejects.toMatchObject({ status: { code: 410 } });
  });
});
