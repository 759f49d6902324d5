import { describe, expect, test } from '@jest/globals';
import { ParsedUrls } from './parsed-urls.ts';

const url = '/api/v1/namespaces/default/configmaps';

describe('parsed URLs', () => {
  test('keep the result of a URL without a query for each method', () => {
    const urls = new ParsedUrls();
    const { info, query } = urls.of({ method: 'POST', url });
    expect(info).toMatchObject({ verb: 'create', namespace: 'default', resource: 'configmaps' });
    expect(urls.of({ method: 'POST', url }).info).toBe(info);
    expect(urls.of({ method: 'GET', url }).info).toMatchObject({ verb: 'list' });
    expect(query.size).toBe(0);
  });

  test('read a query anew', () => {
    const urls = new ParsedUrls();
    urls.of({ method: 'GET', url });
    const { info, query } = urls.of({ method: 'GET', url: `${url}?watch=1` });
    expect([info, query.get('watch')]).toMatchObject([{ verb: 'watch', path: url }, '1']);
  });

  test('keep a limited number of results', () => {
    const urls = new ParsedUrls();
    const { info } = urls.of({ method: 'GET', url });
    for (let at = 0; at < 1000; at++) urls.of({ method: 'GET', url: `${url}/map-${at}` });
    const again = urls.of({ method: 'GET', url }).info;
    expect(again).not.toBe(info);
    expect(again).toEqual(info);
  });

  test('refuse an invalid escape each time', () => {
    const urls = new ParsedUrls();
    for (let time = 0; time < 2; time++) {
      expect(() => urls.of({ method: 'GET', url: '/api/v1/%zz' })).toThrow('invalid URL escape');
    }
  });
});
