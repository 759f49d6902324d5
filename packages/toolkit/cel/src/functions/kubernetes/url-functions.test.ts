import { beforeAll, describe, expect, test } from '@jest/globals';
import {
  ExpressionResults,
  type JsonObject,
  type RuleResult,
} from '../../testing/expression-results.test-support.ts';

// Results recorded from kube-apiserver 1.36.3 for the same rules and objects.
describe('URLs', () => {
  let results: ExpressionResults;

  beforeAll(() => {
    results = new ExpressionResults();
  });

  test.each<[string, [JsonObject, RuleResult][]]>([
    [
      'isURL(self.text)',
      [
        [{ text: 'http://a.b' }, true],
        [{ text: '/a/b?q' }, true],
        [{ text: 'a' }, false],
        [{ text: '' }, false],
        [{ text: '//host/path' }, true],
        [{ text: 'mailto:a@b' }, true],
        [{ text: 'http://' }, true],
        [{ text: 'http://[::1]:80/x' }, true],
        [{ text: 'http://[::1' }, false],
        [{ text: 'http://a:b/' }, false],
        [{ text: 'http://a b/' }, false],
        [{ text: 'http://a/%zz' }, false],
        [{ text: 'http://a.b/%41' }, true],
        [{ text: 'HTTP://A.B/C' }, true],
        [{ text: 'http://a.b?x=1;y=2' }, true],
        [{ text: '*' }, true],
        [{ text: 'http://a.b:/x' }, true],
        [{ text: '1http://a' }, false],
        [{ text: 'http://é.com/ü' }, true],
        [{ text: 'http://a%20b/' }, false],
        [{ text: 'http://a.b/x?' }, true],
        [{ text: 'http:///x' }, true],
        [{ text: 'file:///etc' }, true],
        [{ text: 'http:a' }, true],
        [{ text: 'ht!tp://a' }, false],
        [{ text: '/a:b' }, true],
        [{ text: 'http://a.b/a?b#c#d' }, true],
        [{ text: ':x' }, false],
        [{ text: '/\u0001' }, false],
        [{ text: 'http://a.b/[x]' }, true],
        [{ text: 'urn:isbn:1' }, true],
        [{ text: 'http://a@b@c/' }, true],
        [{ text: 'http://us er@c/' }, false],
        [{ text: 'http://a.b#f' }, false],
        [{ text: 'http://a.b:99999/' }, true],
      ],
    ],
    [
      'url(self.text).getHost() == "nothing"',
      [
        [{ text: 'http://a.b' }, false],
        [{ text: '/a/b?q' }, false],
        [
          { text: 'a' },
          'error: URL parse error during conversion from string: parse "a": invalid URI for request',
        ],
        [{ text: '' }, 'error: URL parse error during conversion from string: parse "": empty url'],
        [{ text: '//host/path' }, false],
        [{ text: 'mailto:a@b' }, false],
        [{ text: 'http://' }, false],
        [{ text: 'http://[::1]:80/x' }, false],
        [
          { text: 'http://[::1' },
          'error: URL parse error during conversion from string: parse "http://[::1": missing \']\' in host',
        ],
        [
          { text: 'http://a:b/' },
          'error: URL parse error during conversion from string: parse "http://a:b/": invalid port ":b" after host',
        ],
        [
          { text: 'http://a b/' },
          'error: URL parse error during conversion from string: parse "http://a b/": invalid character " " in host name',
        ],
        [
          { text: 'http://a/%zz' },
          'error: URL parse error during conversion from string: parse "http://a/%zz": invalid URL escape "%zz"',
        ],
        [{ text: 'http://a.b/%41' }, false],
        [{ text: 'HTTP://A.B/C' }, false],
        [{ text: 'http://a.b?x=1;y=2' }, false],
        [{ text: '*' }, false],
        [{ text: 'http://a.b:/x' }, false],
        [
          { text: '1http://a' },
          'error: URL parse error during conversion from string: parse "1http://a": invalid URI for request',
        ],
        [{ text: 'http://é.com/ü' }, false],
        [
          { text: 'http://a%20b/' },
          'error: URL parse error during conversion from string: parse "http://a%20b/": invalid URL escape "%20"',
        ],
        [{ text: 'http://a.b/x?' }, false],
        [{ text: 'http:///x' }, false],
        [{ text: 'file:///etc' }, false],
        [{ text: 'http:a' }, false],
        [
          { text: 'ht!tp://a' },
          'error: URL parse error during conversion from string: parse "ht!tp://a": invalid URI for request',
        ],
        [{ text: '/a:b' }, false],
        [{ text: 'http://a.b/a?b#c#d' }, false],
        [
          { text: ':x' },
          'error: URL parse error during conversion from string: parse ":x": missing protocol scheme',
        ],
        [
          { text: '/\u0001' },
          'error: URL parse error during conversion from string: parse "/\\x01": net/url: invalid control character in URL',
        ],
        [{ text: 'http://a.b/[x]' }, false],
        [{ text: 'urn:isbn:1' }, false],
        [{ text: 'http://a@b@c/' }, false],
        [
          { text: 'http://us er@c/' },
          'error: URL parse error during conversion from string: parse "http://us er@c/": net/url: invalid userinfo',
        ],
        [
          { text: 'http://a.b#f' },
          'error: URL parse error during conversion from string: parse "http://a.b#f": invalid character "#" in host name',
        ],
        [{ text: 'http://a.b:99999/' }, false],
      ],
    ],
    ["url(self.text) == url('http://a.b')", [[{ text: 'http://a.b' }, true]]],
    [
      "url(self.either).getHost() == 'a'",
      [
        [{ either: 1 }, "error: 'no such overload: url(int)'"],
        [
          { either: 'a' },
          'error: URL parse error during conversion from string: parse "a": invalid URI for request',
        ],
      ],
    ],
  ])('%s', (rule, expected) => {
    const found = expected.map(([spec]) => [spec, results.of(rule, spec)]);
    expect(found).toEqual(expected);
  });

  test.each<[string, [JsonObject, string][]]>([
    [
      "'%s|%s|%s|%s|%s|%s'.format([url(self.text).getScheme(), url(self.text).getHost(), url(self.text).getHostname(), url(self.text).getPort(), url(self.text).getEscapedPath(), url(self.text).getQuery()])",
      [
        [{ text: 'http://a.b' }, 'http|a.b|a.b|||{}'],
        [{ text: '/a/b?q' }, '||||/a/b|{"q":[""]}'],
        [{ text: '//host/path' }, '|host|host||/path|{}'],
        [{ text: 'mailto:a@b' }, 'mailto|||||{}'],
        [{ text: 'http://' }, 'http|||||{}'],
        [{ text: 'http://[::1]:80/x' }, 'http|[::1]:80|::1|80|/x|{}'],
        [{ text: 'http://a.b/%41' }, 'http|a.b|a.b||/%41|{}'],
        [{ text: 'HTTP://A.B/C' }, 'http|A.B|A.B||/C|{}'],
        [{ text: 'http://a.b?x=1;y=2' }, 'http|a.b|a.b|||{}'],
        [{ text: '*' }, '||||*|{}'],
        [{ text: 'http://a.b:/x' }, 'http|a.b:|a.b||/x|{}'],
        [{ text: 'http://é.com/ü' }, 'http|é.com|é.com||/%C3%BC|{}'],
        [{ text: 'http://a.b/x?' }, 'http|a.b|a.b||/x|{}'],
        [{ text: 'http:///x' }, 'http||||/x|{}'],
        [{ text: 'file:///etc' }, 'file||||/etc|{}'],
        [{ text: 'http:a' }, 'http|||||{}'],
        [{ text: '/a:b' }, '||||/a:b|{}'],
        [{ text: 'http://a.b/a?b#c#d' }, 'http|a.b|a.b||/a|{"b":[""]}'],
        [{ text: 'http://a.b/[x]' }, 'http|a.b|a.b||/[x]|{}'],
        [{ text: 'urn:isbn:1' }, 'urn|||||{}'],
        [{ text: 'http://a@b@c/' }, 'http|c|c||/|{}'],
        [{ text: 'http://a.b:99999/' }, 'http|a.b:99999|a.b|99999|/|{}'],
      ],
    ],
  ])('%s returns a string', (expression, expected) => {
    const made = expected.map(([spec]) => [spec, results.textOf(expression, spec)]);
    expect(made).toEqual(expected);
  });
});
