import '../../platform/page/base.css'
import './styles/tokens.css'
import '../../platform/page/controls.css'
import './styles/controls.css'
import './styles/shell.css'
import './styles/lists.css'
import './styles/menus.css'
import './styles/dialogs.css'
import './styles/messages/messages.css'
import './styles/messages/bubbles.css'
import './styles/messages/buttons.css'
import './styles/messages/lines.css'
import './styles/messages/text.css'
import './styles/messages/rich.css'
import './styles/messages/media.css'
import './styles/messages/menu.css'
import './styles/composer/composer.css'
import './styles/composer/keys.css'
import './styles/composer/files.css'
import './styles/panel.css'
import { render } from 'preact'
import { App } from './app.tsx'
import { followAnswersToPresses } from './dialogs/answers.ts'

import { followLive } from './live.ts'
import { followFlow } from './panel.tsx'
import { followRoute } from './route.ts'
import { followFirstChat } from './shell/first-chat.ts'
import { followKeys } from './shell/keys.ts'
import { followPageAge } from './shell/page-age.ts'
import { followTitle } from './shell/title.ts'
import { followChats } from './state/chats.ts'
import { followPeople } from './state/people.ts'
import { followLanguage } from './state/person-language.ts'
import { followTheme } from './state/theme.ts'
import { followUnread } from './state/unread.ts'
import { followLanguageChoice } from './words/language.ts'
import { followToday } from './words/today.ts'

const host = document.getElementById('page')
if (host === null) throw new Error('Cannot show page: index.html has no element for it')

followRoute()
followTheme()
followLanguageChoice()
followPeople()
followChats()
followUnread()
followLanguage()
followAnswersToPresses()
followFirstChat()
followKeys()
followTitle()
followPageAge()
followToday()
followFlow()
followLive()
render(<App />, host)
