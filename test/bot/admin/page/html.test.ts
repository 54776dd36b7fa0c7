import { expect, test } from 'vitest'
import { html } from '../../../../src/bot/admin/page/html.ts'

test('html escapes texts in elements and attributes, and joins lists', () => {
  const hostile = `"><script>alert('1')</script>&amp;`

  const { text } = html`<p title="${hostile}">${hostile}</p>${[html`<b>${1}</b>`, false, null]}`

  const escaped = '&quot;&gt;&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&amp;amp;'
  expect(text).toBe(`<p title="${escaped}">${escaped}</p><b>1</b>`)
})
