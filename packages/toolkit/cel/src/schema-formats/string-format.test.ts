import { describe, expect, test } from '@jest/globals';
import { hasFormat, isKnownFormat } from './string-format.ts';

/** Formats with valid and invalid strings, by the responses of kube-apiserver 1.36.3. */
const samples: readonly (readonly [string, readonly string[], readonly string[]])[] = [
  [
    'bsonobjectid',
    ['507f1f77bcf86cd799439011', '507F1F77BCF86CD799439011'],
    ['x', '507f1f77bcf86cd79943901'],
  ],
  [
    'byte',
    ['YQ==', 'YWI=', 'YWJj', 'ab=='],
    ['', 'YQ', 'a', '####', 'YWJj\n', 'YQ= =', '-_-_', 'YQ==YQ=='],
  ],
  [
    'cidr',
    ['10.0.0.0/8', '::/0', '010.0.0.0/8', '10.0.0.0/08'],
    ['10.0.0.1', '10.0.0.1/33', 'fe80::1%eth0/64'],
  ],
  [
    'creditcard',
    [
      '4111111111111111',
      '4111 1111 1111 1111',
      '4111-1111-1111-1111',
      '378282246310005',
      '5555555555554444',
    ],
    ['1', '4111111111111112'],
  ],
  [
    'date',
    ['2020-01-01', '0000-01-01', '2020-02-29'],
    ['2020-02-30', 'x', '2020-1-1', '2021-02-29'],
  ],
  [
    'date-time',
    [
      '2020-01-01T00:00:00Z',
      '2020-01-01T00:00:00.123456789Z',
      '2020-01-01t00:00:00z',
      '2020-01-01T00:00:00+01:00',
      '2020-01-01T00:00:00+25:00',
      '2020-01-01T00:00:00,5Z',
    ],
    [
      'x',
      '2020-01-01',
      '2020-01-01T00:00:00',
      '2020-02-30T00:00:00Z',
      '2020-01-01T24:00:00Z',
      '2020-01-01T00:00:60Z',
      '2020-01-01T23:59:60Z',
      '2020-01-01T00:00:00+0100',
      '2020-01-01 00:00:00Z',
      '2020-01-01T0:00:00Z',
      '2020-01-01T00:00:00.Z',
    ],
  ],
  [
    'datetime',
    ['2020-01-01T00:00:00Z', '2020-01-01T00:00:00.123Z'],
    ['x', '2020-01-01', '2020-01-01T00:00:00'],
  ],
  [
    'duration',
    [
      '1s',
      '1 s',
      '1h1m',
      '1d',
      '1w',
      '1.5h',
      '-1s',
      '1 day',
      '2 weeks',
      '1 hour 2 minutes',
      '0',
      '1\u00b5s',
      '1us',
      '1 ns',
      '1S',
      '1 Hours',
    ],
    ['x', '5', ''],
  ],
  [
    'email',
    [
      'a@b',
      'A <a@b>',
      'a@b.c',
      '"a b"@c',
      'a@[1.2.3.4]',
      '\u00e4@b',
      '<a@b>',
      'a@b (c)',
      'a@-b',
      ' a@b ',
      'a@b_c',
    ],
    ['a', 'a@', 'a b@c', 'a@b@c', 'a@b,c@d', '.a@b', 'a.@b', 'a..b@c', 'a@b..c', '@b'],
  ],
  ['hexcolor', ['#fff', 'fff', '#FFFFFF'], ['#ffff', '', '#ggg', '#ffffff00']],
  [
    'hostname',
    ['a', 'a-', '1', 'm\u00fcnchen.de'],
    [
      'a.b',
      '-a',
      'a_b',
      'A.B',
      'a.',
      'a..b',
      '',
      'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx',
      '1.2',
      'a.b.',
      'xn--a',
      'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa.b',
      '.a',
      'example.123',
      'a b',
    ],
  ],
  [
    'ipv4',
    ['1.2.3.4', '01.2.3.4', '::ffff:1.2.3.4', '001.002.003.004'],
    ['1.2.3', '1.2.3.4.5', '::1', '1.2.3.256', ' 1.2.3.4'],
  ],
  [
    'ipv6',
    [
      '::1',
      '::ffff:1.2.3.4',
      '::',
      '2001:db8::',
      '2001:DB8::1',
      '1:2:3:4:5:6:7:8',
      '::1.2.3.4',
      '1:2:3:4:5:6:1.2.3.4',
    ],
    [
      '1.2.3.4',
      'fe80::1%eth0',
      '1::2::3',
      '12345::',
      '1:2:3:4:5:6:7',
      '1:2:3:4:5:6:7:8:9',
      '::01.2.3.4',
      '0:0',
      '[::1]',
      ':::',
      ':1',
      '1:',
      '1:2:3:4:5:6:7:1.2.3.4',
      '::00001',
    ],
  ],
  [
    'isbn',
    [
      '0-306-40615-2',
      '978-0-306-40615-7',
      '9780306406157',
      '0306406152',
      '080442957X',
      '978 0306406157',
    ],
    ['0306406153', 'x', '080442957x'],
  ],
  [
    'isbn10',
    ['0-306-40615-2', '0306406152', '0 306\t40615\n2\r\f'],
    ['9780306406157', '0\u00a0306406152', '0\u2028306406152', '0\v306406152', '0\ufeff306406152'],
  ],
  ['isbn13', ['9780306406157', '978-0-306-40615-7'], ['0-306-40615-2', '978\u00a00306406157']],
  [
    'k8s-long-name',
    ['a', 'a.b', 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx'],
    ['A', '-a', ''],
  ],
  [
    'k8s-short-name',
    ['a'],
    ['A', 'a.b', '-a', 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx', ''],
  ],
  [
    'mac',
    [
      '00:00:5e:00:53:01',
      '00-00-5e-00-53-01',
      '0000.5e00.5301',
      '02:00:5e:10:00:00:00:01',
      '00005e005301',
      '4111111111111111',
    ],
    ['xx', '00:00:5e:00:53', '0000:5e00:5301', '00005e00530', '00005e00530100'],
  ],
  ['password', ['x', ''], []],
  [
    'rgbcolor',
    ['rgb(1,2,3)', 'rgb(1, 2, 3)', 'rgb( 1 , 2 , 3 )'],
    [
      'x',
      'rgb(256,0,0)',
      'rgba(1,2,3,4)',
      'rgb(01,2,3)',
      'rgb(1%,2%,3%)',
      'rgb(1,\u00a02,3)',
      'rgb(1,2,3\v)',
    ],
  ],
  ['ssn', ['123-45-6789', '123 45 6789'], ['x', '123456789', '123-456789']],
  [
    'uri',
    [
      'http://a',
      '/a',
      '//a',
      'http://',
      'mailto:a@b',
      'a:b',
      'http://[::1]:80/',
      'http://a/%20',
      'urn:x',
      'http://a?b=c#d',
      'http:a',
      'http://a/ b',
      'http://\u00e4/\u00f6',
      '*',
      'http://[fe80::1%25en0]/',
      'http://a:/',
      'http://user:pass@h/',
      'javascript:alert(1)',
      '/a#b',
      '/a?b',
      'http:///a',
      'file:///a',
      'http://h/?%zz',
      '//h/p',
      '///p',
      'x-y+z.1:a',
    ],
    [
      'a',
      'http://a b',
      'http://a:port',
      'http://a/%zz',
      ':a',
      '',
      'a/b:c',
      '1http://a',
      '?a',
      '#a',
      'http://a\\b',
      'http://a:80x/',
      'a b:c',
      'http://us er@h/',
      'http://a/\u0001',
      'http://a/\u007f',
      '*a',
      'http://%41/',
      'http://a%20b/',
      'http://[::1',
      'foo.html',
      '/%',
      'http://h/#%zz',
    ],
  ],
  [
    'uuid',
    [
      'a987fbc9-4bed-3078-cf07-9141ba07c9f3',
      'A987FBC9-4BED-3078-CF07-9141BA07C9F3',
      'a987fbc94bed3078cf079141ba07c9f3',
      'a987fbc9-4bed-9078-cf07-9141ba07c9f3',
    ],
    [
      'a987fbc9',
      '{a987fbc9-4bed-3078-cf07-9141ba07c9f3}',
      'urn:uuid:a987fbc9-4bed-3078-cf07-9141ba07c9f3',
    ],
  ],
  [
    'uuid3',
    [
      'a987fbc9-4bed-3078-cf07-9141ba07c9f3',
      'A987FBC9-4BED-3078-CF07-9141BA07C9F3',
      'a987fbc94bed3078cf079141ba07c9f3',
    ],
    ['a987fbc9-4bed-4078-8f07-9141ba07c9f3'],
  ],
  [
    'uuid4',
    [
      'a987fbc9-4bed-4078-8f07-9141ba07c9f3',
      'A987FBC9-4BED-4078-8F07-9141BA07C9F3',
      'a987fbc94bed40788f079141ba07c9f3',
    ],
    ['a987fbc9-4bed-3078-cf07-9141ba07c9f3', 'a987fbc9-4bed-4078-cf07-9141ba07c9f3'],
  ],
  [
    'uuid5',
    ['a987fbc9-4bed-5078-8f07-9141ba07c9f3', 'a987fbc94bed50788f079141ba07c9f3'],
    ['a987fbc9-4bed-4078-8f07-9141ba07c9f3'],
  ],
];

describe('hasFormat', () => {
  test.each(samples)(
    'accepts and rejects strings of the format %s as kube-apiserver does',
    (format, good, bad) => {
      expect(good.filter((text) => !hasFormat(text, format))).toEqual([]);
      expect(bad.filter((text) => hasFormat(text, format))).toEqual([]);
    },
  );

  test.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'int32', 'UUID', ''])(
    'accepts every text for the unknown format %p',
    (format) => {
      expect([hasFormat('x', format), isKnownFormat(format)]).toEqual([true, false]);
    },
  );

  test('takes time in proportion to the length of the string', () => {
    const long = 'a.'.repeat(50_000);
    for (const [format] of samples) hasFormat(`${long}!`, format);
    for (const [format] of samples) hasFormat('"'.repeat(50_000), format);
    for (const [format] of samples) hasFormat(`${'('.repeat(50_000)}a@b`, format);
  }, 5000);
});
