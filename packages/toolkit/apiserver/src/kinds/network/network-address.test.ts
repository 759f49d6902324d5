import { describe, expect, test } from '@jest/globals';
import {
  addressDetails,
  containsAddress,
  legacyAddressDetails,
  parseAddress,
  parseRange,
  validateEndpointAddress,
  validateLegacyRange,
  validateRange,
} from './network-address.ts';

function messages(causes: readonly { message?: string }[]): string[] {
  return causes.map(({ message = '' }) => message.replace(/^Invalid value: "[^"]*": /, ''));
}

describe('Network addresses', () => {
  test.each([
    ['10.9.8.7', true, '10.9.8.7'],
    ['010.009.8.7', true, '10.9.8.7'],
    ['2001:DB8:0:0::1', false, '2001:db8::1'],
    ['::', false, '::'],
    ['::ffff:10.0.0.1', true, '10.0.0.1'],
  ])('%s is parsed', (text, isV4, canonical) => {
    expect(parseAddress(text)).toMatchObject({ isV4, text: canonical });
  });

  test.each(['', 'x', '256.0.0.1', '1.2.3', 'fe80::1%eth0', '1:2'])('%s is no address', (text) => {
    expect(parseAddress(text)).toBeUndefined();
    expect(legacyAddressDetails(text)).toHaveLength(1);
  });

  test.each([
    ['10.099.0.1', ['must not have leading 0s']],
    ['::ffff:10.0.0.1', ['must not be an IPv4-mapped IPv6 address']],
    ['2001:DB8::1', ['must be in canonical form ("2001:db8::1")']],
    ['2001:db8::1', []],
  ])('the details of %s are %j', (text, details) => {
    expect(addressDetails(text)).toEqual(details);
  });

  test.each([
    ['10.0.0.0/8', '10.255.0.1', true],
    ['10.0.0.0/8', '11.0.0.1', false],
    ['0.0.0.0/0', '255.0.0.1', true],
    ['2001:db8::/32', '2001:db8:ffff::1', true],
    ['2001:db8::/32', '2001:db9::', false],
    ['10.0.0.0/8', '2001:db8::1', false],
  ])('%s contains %s: %j', (rangeText, text, expected) => {
    const [range, address] = [parseRange(rangeText), parseAddress(text)];
    if (range === undefined || address === undefined) throw new Error('not parsed');
    expect(containsAddress(range, address)).toBe(expected);
  });

  test.each([
    ['10.0.0.0/33', 'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)'],
    ['10.0.0.0', 'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)'],
    ['10.0.0.0/08', 'must not have leading 0s in IP or prefix length'],
    ['010.0.0.0/8', 'must not have leading 0s in IP or prefix length'],
    ['::ffff:10.0.0.0/104', 'must not have an IPv4-mapped IPv6 address'],
    ['10.0.0.1/8', 'must not have bits set beyond the prefix length'],
  ])('the range %s is rejected', (text, message) => {
    expect(messages(validateLegacyRange(text, 'f'))).toEqual([message]);
  });

  test('only a strict field requires the canonical form of a range', () => {
    expect(validateLegacyRange('2001:DB8::/64', 'f')).toEqual([]);
    expect(messages(validateRange('2001:DB8::/64', 'f'))).toEqual([
      'must be in canonical form ("2001:db8::/64")',
    ]);
    expect(validateRange('2001:db8::/64', 'f')).toEqual([]);
  });

  test.each([
    ['0.0.0.0', 'may not be unspecified'],
    ['::', 'may not be unspecified'],
    ['127.1.2.3', 'may not be in the loopback range'],
    ['::1', 'may not be in the loopback range'],
    ['169.254.0.1', 'may not be in the link-local range'],
    ['fe80::1', 'may not be in the link-local range'],
    ['224.0.0.9', 'may not be in the link-local multicast range'],
    ['ff02::1', 'may not be in the link-local multicast range'],
  ])('%s cannot be an endpoint', (text, message) => {
    expect(messages(validateEndpointAddress(text, 'f'))).toEqual([
      expect.stringContaining(message),
    ]);
    expect(validateEndpointAddress('10.0.0.1', 'f')).toEqual([]);
  });
});
