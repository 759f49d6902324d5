import { beforeAll, describe, expect, test } from '@jest/globals';
import {
  ExpressionResults,
  type JsonObject,
  type RuleResult,
} from '../../testing/expression-results.test-support.ts';

// Results recorded from kube-apiserver 1.36.3 for the same rules and objects.
describe('addresses and networks', () => {
  let results: ExpressionResults;

  beforeAll(() => {
    results = new ExpressionResults();
  });

  test.each<[string, [JsonObject, RuleResult][]]>([
    [
      'isIP(self.text)',
      [
        [{ text: '10.0.0.1' }, true],
        [{ text: '10.0.0' }, false],
        [{ text: '10.0.0.256' }, false],
        [{ text: '010.0.0.1' }, false],
        [{ text: '10.0.0.1.1' }, false],
        [{ text: '10..0.1' }, false],
        [{ text: 'a' }, false],
        [{ text: '::1' }, true],
        [{ text: '::' }, true],
        [{ text: 'fe80::1' }, true],
        [{ text: 'fe80::1%eth0' }, false],
        [{ text: '::ffff:10.0.0.1' }, false],
        [{ text: '2001:DB8::1' }, true],
        [{ text: '2001:db8:0:0:0:0:0:1' }, true],
        [{ text: '1:2:3:4:5:6:7:8' }, true],
        [{ text: '1:2:3:4:5:6:7' }, false],
        [{ text: '1::2::3' }, false],
        [{ text: '' }, false],
        [{ text: '10.0.0.1/8' }, false],
        [{ text: 'ff02::1' }, true],
        [{ text: '224.0.0.1' }, true],
        [{ text: '169.254.1.1' }, true],
        [{ text: '127.0.0.1' }, true],
        [{ text: '0.0.0.0' }, true],
        [{ text: '255.255.255.255' }, true],
        [{ text: '::1.2.3.4' }, true],
        [{ text: '12345::' }, false],
        [{ text: 'g::' }, false],
        [{ text: '1:2:3:4:5:6:7:8:9' }, false],
        [{ text: '1.2.3.4a' }, false],
        [{ text: ':1' }, false],
      ],
    ],
    [
      'string(ip(self.text)) == "x"',
      [
        [{ text: '10.0.0.1' }, false],
        [
          { text: '10.0.0' },
          'error: IP Address "10.0.0" parse error during conversion from string: ParseAddr("10.0.0"): IPv4 address too short',
        ],
        [
          { text: '10.0.0.256' },
          'error: IP Address "10.0.0.256" parse error during conversion from string: ParseAddr("10.0.0.256"): IPv4 field has value >255',
        ],
        [
          { text: '010.0.0.1' },
          'error: IP Address "010.0.0.1" parse error during conversion from string: ParseAddr("010.0.0.1"): IPv4 field has octet with leading zero',
        ],
        [
          { text: '10.0.0.1.1' },
          'error: IP Address "10.0.0.1.1" parse error during conversion from string: ParseAddr("10.0.0.1.1"): IPv4 address too long',
        ],
        [
          { text: '10..0.1' },
          'error: IP Address "10..0.1" parse error during conversion from string: ParseAddr("10..0.1"): IPv4 field must have at least one digit (at ".0.1")',
        ],
        [
          { text: 'a' },
          'error: IP Address "a" parse error during conversion from string: ParseAddr("a"): unable to parse IP',
        ],
        [{ text: '::1' }, false],
        [{ text: '::' }, false],
        [{ text: 'fe80::1' }, false],
        [
          { text: 'fe80::1%eth0' },
          'error: IP address "fe80::1%eth0" with zone value is not allowed',
        ],
        [
          { text: '::ffff:10.0.0.1' },
          'error: IPv4-mapped IPv6 address "::ffff:10.0.0.1" is not allowed',
        ],
        [{ text: '2001:DB8::1' }, false],
        [{ text: '2001:db8:0:0:0:0:0:1' }, false],
        [{ text: '1:2:3:4:5:6:7:8' }, false],
        [
          { text: '1:2:3:4:5:6:7' },
          'error: IP Address "1:2:3:4:5:6:7" parse error during conversion from string: ParseAddr("1:2:3:4:5:6:7"): address string too short',
        ],
        [
          { text: '1::2::3' },
          'error: IP Address "1::2::3" parse error during conversion from string: ParseAddr("1::2::3"): multiple :: in address (at ":3")',
        ],
        [
          { text: '' },
          'error: IP Address "" parse error during conversion from string: ParseAddr(""): unable to parse IP',
        ],
        [
          { text: '10.0.0.1/8' },
          'error: IP Address "10.0.0.1/8" parse error during conversion from string: ParseAddr("10.0.0.1/8"): unexpected character (at "/8")',
        ],
        [{ text: 'ff02::1' }, false],
        [{ text: '224.0.0.1' }, false],
        [{ text: '169.254.1.1' }, false],
        [{ text: '127.0.0.1' }, false],
        [{ text: '0.0.0.0' }, false],
        [{ text: '255.255.255.255' }, false],
        [{ text: '::1.2.3.4' }, false],
        [
          { text: '12345::' },
          'error: IP Address "12345::" parse error during conversion from string: ParseAddr("12345::"): each group must have 4 or less digits (at "12345::")',
        ],
        [
          { text: 'g::' },
          'error: IP Address "g::" parse error during conversion from string: ParseAddr("g::"): each colon-separated field must have at least one digit (at "g::")',
        ],
        [
          { text: '1:2:3:4:5:6:7:8:9' },
          'error: IP Address "1:2:3:4:5:6:7:8:9" parse error during conversion from string: ParseAddr("1:2:3:4:5:6:7:8:9"): trailing garbage after address (at "9")',
        ],
        [
          { text: '1.2.3.4a' },
          'error: IP Address "1.2.3.4a" parse error during conversion from string: ParseAddr("1.2.3.4a"): unexpected character (at "a")',
        ],
        [
          { text: ':1' },
          'error: IP Address ":1" parse error during conversion from string: ParseAddr(":1"): each colon-separated field must have at least one digit (at ":1")',
        ],
      ],
    ],
    [
      'ip.isCanonical(self.text)',
      [
        [{ text: '10.0.0.1' }, true],
        [
          { text: '10.0.0' },
          'error: IP Address "10.0.0" parse error during conversion from string: ParseAddr("10.0.0"): IPv4 address too short',
        ],
        [
          { text: '10.0.0.256' },
          'error: IP Address "10.0.0.256" parse error during conversion from string: ParseAddr("10.0.0.256"): IPv4 field has value >255',
        ],
        [
          { text: '010.0.0.1' },
          'error: IP Address "010.0.0.1" parse error during conversion from string: ParseAddr("010.0.0.1"): IPv4 field has octet with leading zero',
        ],
        [
          { text: '10.0.0.1.1' },
          'error: IP Address "10.0.0.1.1" parse error during conversion from string: ParseAddr("10.0.0.1.1"): IPv4 address too long',
        ],
        [
          { text: '10..0.1' },
          'error: IP Address "10..0.1" parse error during conversion from string: ParseAddr("10..0.1"): IPv4 field must have at least one digit (at ".0.1")',
        ],
        [
          { text: 'a' },
          'error: IP Address "a" parse error during conversion from string: ParseAddr("a"): unable to parse IP',
        ],
        [{ text: '::1' }, true],
        [{ text: '::' }, true],
        [{ text: 'fe80::1' }, true],
        [
          { text: 'fe80::1%eth0' },
          'error: IP address "fe80::1%eth0" with zone value is not allowed',
        ],
        [
          { text: '::ffff:10.0.0.1' },
          'error: IPv4-mapped IPv6 address "::ffff:10.0.0.1" is not allowed',
        ],
      ],
    ],
    [
      "ip('10.0.0.1') == ip(self.text)",
      [
        [{ text: '10.0.0.1' }, true],
        [
          { text: '10.0.0' },
          'error: IP Address "10.0.0" parse error during conversion from string: ParseAddr("10.0.0"): IPv4 address too short',
        ],
        [
          { text: '10.0.0.256' },
          'error: IP Address "10.0.0.256" parse error during conversion from string: ParseAddr("10.0.0.256"): IPv4 field has value >255',
        ],
      ],
    ],
    [
      'isCIDR(self.text)',
      [
        [{ text: '10.0.0.0/8' }, true],
        [{ text: '10.0.0.1/8' }, true],
        [{ text: '10.0.0.0/33' }, false],
        [{ text: '10.0.0.0' }, false],
        [{ text: '10.0.0.0/' }, false],
        [{ text: '10.0.0.0/08' }, false],
        [{ text: '10.0.0.0/a' }, false],
        [{ text: '::/0' }, true],
        [{ text: '2001:DB8::1/32' }, true],
        [{ text: '::ffff:10.0.0.0/104' }, false],
        [{ text: 'fe80::%eth0/10' }, false],
        [{ text: 'x/8' }, false],
      ],
    ],
    [
      'string(cidr(self.text)) == "x"',
      [
        [{ text: '10.0.0.0/8' }, false],
        [{ text: '10.0.0.1/8' }, false],
        [
          { text: '10.0.0.0/33' },
          'error: network address parse error during conversion from string: network address parse error during conversion from string: netip.ParsePrefix("10.0.0.0/33"): prefix length out of range',
        ],
        [
          { text: '10.0.0.0' },
          'error: network address parse error during conversion from string: network address parse error during conversion from string: netip.ParsePrefix("10.0.0.0"): no \'/\'',
        ],
        [
          { text: '10.0.0.0/' },
          'error: network address parse error during conversion from string: network address parse error during conversion from string: netip.ParsePrefix("10.0.0.0/"): bad bits after slash: ""',
        ],
        [
          { text: '10.0.0.0/08' },
          'error: network address parse error during conversion from string: network address parse error during conversion from string: netip.ParsePrefix("10.0.0.0/08"): bad bits after slash: "08"',
        ],
        [
          { text: '10.0.0.0/a' },
          'error: network address parse error during conversion from string: network address parse error during conversion from string: netip.ParsePrefix("10.0.0.0/a"): bad bits after slash: "a"',
        ],
        [{ text: '::/0' }, false],
        [{ text: '2001:DB8::1/32' }, false],
        [
          { text: '::ffff:10.0.0.0/104' },
          'error: network address parse error during conversion from string: IPv4-mapped IPv6 address "::ffff:10.0.0.0/104" is not allowed',
        ],
        [
          { text: 'fe80::%eth0/10' },
          'error: network address parse error during conversion from string: network address parse error during conversion from string: netip.ParsePrefix("fe80::%eth0/10"): IPv6 zones cannot be present in a prefix',
        ],
        [
          { text: 'x/8' },
          'error: network address parse error during conversion from string: network address parse error during conversion from string: netip.ParsePrefix("x/8"): ParseAddr("x"): unable to parse IP',
        ],
      ],
    ],
    [
      "cidr('10.0.0.0/8').containsIP(self.text)",
      [
        [{ text: '10.0.0.1' }, true],
        [{ text: '10.0.0' }, "error: 'no such overload'"],
        [{ text: '10.0.0.256' }, "error: 'no such overload'"],
        [{ text: '010.0.0.1' }, "error: 'no such overload'"],
        [{ text: '10.0.0.1.1' }, "error: 'no such overload'"],
        [{ text: '10..0.1' }, "error: 'no such overload'"],
        [{ text: 'a' }, "error: 'no such overload'"],
        [{ text: '::1' }, false],
        [{ text: '::' }, false],
        [{ text: 'fe80::1' }, false],
        [{ text: 'fe80::1%eth0' }, "error: 'no such overload'"],
        [{ text: '::ffff:10.0.0.1' }, "error: 'no such overload'"],
      ],
    ],
    [
      "cidr('10.0.0.0/8').containsIP(ip(self.text))",
      [
        [{ text: '10.0.0.1' }, true],
        [
          { text: '10.0.0' },
          'error: IP Address "10.0.0" parse error during conversion from string: ParseAddr("10.0.0"): IPv4 address too short',
        ],
      ],
    ],
    [
      "cidr('10.0.0.0/8').containsCIDR(self.text)",
      [
        [{ text: '10.0.0.0/8' }, true],
        [{ text: '10.0.0.1/8' }, true],
        [
          { text: '10.0.0.0/33' },
          'error: network address parse error during conversion from string: network address parse error during conversion from string: netip.ParsePrefix("10.0.0.0/33"): prefix length out of range',
        ],
        [
          { text: '10.0.0.0' },
          'error: network address parse error during conversion from string: network address parse error during conversion from string: netip.ParsePrefix("10.0.0.0"): no \'/\'',
        ],
        [
          { text: '10.0.0.0/' },
          'error: network address parse error during conversion from string: network address parse error during conversion from string: netip.ParsePrefix("10.0.0.0/"): bad bits after slash: ""',
        ],
        [
          { text: '10.0.0.0/08' },
          'error: network address parse error during conversion from string: network address parse error during conversion from string: netip.ParsePrefix("10.0.0.0/08"): bad bits after slash: "08"',
        ],
        [
          { text: '10.0.0.0/a' },
          'error: network address parse error during conversion from string: network address parse error during conversion from string: netip.ParsePrefix("10.0.0.0/a"): bad bits after slash: "a"',
        ],
        [{ text: '::/0' }, false],
        [{ text: '2001:DB8::1/32' }, false],
        [
          { text: '::ffff:10.0.0.0/104' },
          'error: network address parse error during conversion from string: IPv4-mapped IPv6 address "::ffff:10.0.0.0/104" is not allowed',
        ],
        [
          { text: 'fe80::%eth0/10' },
          'error: network address parse error during conversion from string: network address parse error during conversion from string: netip.ParsePrefix("fe80::%eth0/10"): IPv6 zones cannot be present in a prefix',
        ],
        [
          { text: 'x/8' },
          'error: network address parse error during conversion from string: network address parse error during conversion from string: netip.ParsePrefix("x/8"): ParseAddr("x"): unable to parse IP',
        ],
      ],
    ],
    [
      'isIP(self.either)',
      [
        [{ either: 1 }, "error: 'no such overload: isIP(int)'"],
        [{ either: 'a' }, false],
      ],
    ],
  ])('%s', (rule, expected) => {
    const found = expected.map(([spec]) => [spec, results.of(rule, spec)]);
    expect(found).toEqual(expected);
  });

  test.each<[string, [JsonObject, string][]]>([
    [
      "'%s %s %s %s %s'.format([ip(self.text).isUnspecified(), ip(self.text).isLoopback(), ip(self.text).isLinkLocalMulticast(), ip(self.text).isLinkLocalUnicast(), ip(self.text).isGlobalUnicast()])",
      [
        [{ text: '10.0.0.1' }, 'false false false false true'],
        [{ text: '::1' }, 'false true false false false'],
        [{ text: '::' }, 'true false false false false'],
        [{ text: 'fe80::1' }, 'false false false true false'],
      ],
    ],
    [
      "'%s %s %d %s'.format([string(cidr(self.text)), string(cidr(self.text).ip()), cidr(self.text).prefixLength(), string(cidr(self.text).masked())])",
      [
        [{ text: '10.0.0.0/8' }, '10.0.0.0/8 10.0.0.0 8 10.0.0.0/8'],
        [{ text: '10.0.0.1/8' }, '10.0.0.1/8 10.0.0.1 8 10.0.0.0/8'],
        [{ text: '::/0' }, '::/0 :: 0 ::/0'],
        [{ text: '2001:DB8::1/32' }, '2001:db8::1/32 2001:db8::1 32 2001:db8::/32'],
      ],
    ],
  ])('%s returns a string', (expression, expected) => {
    const made = expected.map(([spec]) => [spec, results.textOf(expression, spec)]);
    expect(made).toEqual(expected);
  });
});
