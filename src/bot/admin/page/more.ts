/** More: the sections that a phone's tabs have no room for, who is signed in, the language, and the way out. */
import { roleName } from './access.ts'
import { html } from './html.ts'
import { BEHIND_MORE, frame, icon, nameOf, sectionName } from './layout.ts'
import { languageChoice } from './sign-in.ts'
import { hrefOf, type View } from './visit.ts'

export const more: View = {
  async show(visit) {
    const { visitor, page } = visit
    const { userId, name, role } = visitor
    const links = BEHIND_MORE.map(
      (section) => html`<li><a class="item" href="${hrefOf(section)}">
        ${icon(section)}<span class="grow">${sectionName(visit, section)}</span>${icon('forward')}</a></li>`,
    )
    return frame(visit, {
      title: sectionName(visit, 'more'),
      content: html`<ul class="card list phone-only">${links}</ul>
        <section class="card stack">
          <div><p class="hint">${visit.t('page-signed-in-as')}</p>
            <h2>${nameOf(visit, { id: userId, name, username: null })}</h2>
            <p class="hint">${roleName(visit, role)}</p></div>
          ${role === 'viewer' && html`<p>${visit.t('page-viewer')}</p>`}
          <p class="hint">${visit.t('page-time-zone', { timeZone: page.settings.timeZone })}</p>
          <div><h3>${visit.t('page-language')}</h3>${languageChoice()}</div>
          <form method="post" action="sign-out"><button type="submit" class="quiet">${visit.t('page-sign-out')}</button></form>
        </section>`,
    })
  },
}
