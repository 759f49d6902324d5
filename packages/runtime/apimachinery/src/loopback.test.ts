import { describe, expect, test } from '@jest/globals';
import { hostnameOf, isLoopback } from './loopback.ts';

describe('a loopback host', () => {
  test.each([
    'localhost',
    '127.0.0.1',
    '127.255.255.254',
    '::1',
    '0:0:0:0:0:0:0:1',
    '0::1',
    '::0001',
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
  ])('is %s', (host) => {
    expect(isLoopback(host)).toBe(true);
  });

  test.each([
    '',
    'localhost.example',
    '127.0.0.1.example',
    '127.0.0',
    '127.0.0.256',
    '127.0.0.01',
    '128.0.0.1',
    '2130706433',
    '::',
    '::2',
    '1::1',
    '::ffff:10.0.0.1',
    '::ffff:7f0:1',
  ])('is not "%s"', (host) => {
    expect(isLoopback(host)).toBe(false);
  });
});

describe('the host of an authority', () => {
  test.each([
    ['localhost', 'localhost'],
    ['LocalHost:8080', 'localhost'],
    ['localhost.:8080', 'localhost'],
    ['127.0.0.1:1', '127.0.0.1'],
    ['[::1]', '::1'],
    ['[::1]:443', '::1'],
    ['evil.example:', 'evil.example'],
  ])('of %s is %s', (authority, host) => {
    expect(hostnameOf(authority)).toBe(host);
  });

  test.each(['', ':80', '::1', 'a b', 'a,b', 'a/b', 'user@localhost', 'localhost:8080:1', '[::1'])(
    'is undefined for "%s"',
    (authority) => {
      expect(hostnameOf(authority)).toBeUndefined();
    },
  );
});
