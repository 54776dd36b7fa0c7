import { tests } from 'commonmark-spec'

/** The examples that GitHub Flavored Markdown has beside CommonMark's. */
const GFM = [
  '| foo | bar |\n| --- | --- |\n| baz | bim |',
  '| abc | defghi |\n:-: | -----------:\nbar | baz',
  '| f\\|oo  |\n| ------ |\n| b `\\|` az |\n| b **\\|** im |',
  '| abc | def |\n| --- | --- |\n| bar | baz |\n> bar',
  '| abc | def |\n| --- | --- |\n| bar | baz |\nbar\n\nbar',
  '| abc | def |\n| --- |\n| bar |',
  '| abc | def |\n| --- | --- |\n| bar |\n| bar | baz | boo |',
  '| abc | def |\n| --- | --- |',
  '- [ ] foo\n- [x] bar',
  '- [x] foo\n  - [ ] bar\n  - [x] baz\n- [ ] bim',
  '~~Hi~~ Hello, ~there~ world!',
  'This ~~has a\n\nnew paragraph~~.',
  'This will ~~~not~~~ strike.',
  'www.commonmark.org/help',
  'Visit www.commonmark.org/a.b.',
  'www.google.com/search?q=Markup+(business)\n\n(www.google.com/search?q=(business))+ok',
  'www.google.com/search?q=commonmark&hl=en\n\nwww.google.com/search?q=commonmark&hl;',
  'www.commonmark.org/he<lp',
  'http://commonmark.org\n\n(Visit https://encrypted.google.com/search?q=Markup+(business))',
  'foo@bar.baz\n\nhello@mail+xyz.example is not a hello+xyz@mail.example',
  'a.b-c_d@a.b\n\na.b-c_d@a.b.\n\na.b-c_d@a.b-\n\na.b-c_d@a.b_',
  '<strong> <title> <style> <em>\n\n<blockquote>\n  <xmp> is disallowed. <XMP> is also disallowed.\n</blockquote>',
  'A note[^1] and another[^long].\n\n[^1]: Short.\n\n[^long]: Long.\n\n    ```js\n    code()\n    ```',
]

/** Every example of both specifications. */
export const SPEC_EXAMPLES: readonly string[] = [
  ...tests.map(({ markdown }) => markdown.replaceAll('→', '\t')),
  ...GFM,
].filter((example) => example.trim() !== '')
