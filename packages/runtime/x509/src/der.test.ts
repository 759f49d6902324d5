import { describe, expect, test } from '@jest/globals';
import { contextTag, der, objectIdentifier, time } from './der.ts';

describe('DER', () => {
  test.each([
    [0, '0400'],
    [1, '0401'],
    [127, '047f'],
    [128, '048180'],
    [255, '0481ff'],
    [256, '04820100'],
    [65_535, '0482ffff'],
  ])('has the length %d in its shortest form', (length, head) => {
    const encoded = der('octetString', new Uint8Array(length));
    expect(encoded.subarray(0, -length || undefined).toString('hex')).toBe(head);
    expect(encoded.length).toBe(head.length / 2 + length);
  });

  test('contains encoded values in the order given', () => {
    const encoded = der('sequence', der('integer', [2]), der(contextTag(2, 'primitive'), 'a'));
    expect(encoded.toString('hex')).toBe('3006020102820161');
    expect(der(contextTag(3, 'constructed'), der('set')).toString('hex')).toBe('a3023100');
  });

  test.each([
    ['2.5.4.3', '0603550403'],
    ['1.2.840.10045.4.3.2', '06082a8648ce3d040302'],
    ['1.3.6.1.5.5.7.3.1', '06082b06010505070301'],
  ])('has the object identifier %s in base 128', (dotted, bytes) => {
    expect(objectIdentifier(dotted).toString('hex')).toBe(bytes);
  });

  test.each([
    ['2049-12-31T23:59:59.999Z', 0x17, '491231235959Z'],
    ['2050-01-01T00:00:00.000Z', 0x18, '20500101000000Z'],
  ])('has the time %s in seconds', (text, tag, digits) => {
    expect(time(Date.parse(text))).toEqual(der(tag, digits));
  });
});
