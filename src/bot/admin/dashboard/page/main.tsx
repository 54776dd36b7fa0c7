import '../../../../platform/page/base.css'
import './styles/tokens.css'
import './styles/shell.css'
import '../../../../platform/page/controls.css'
import './styles/controls.css'
import './styles/cards.css'
import './styles/lists.css'
import './styles/spend.css'
import { render } from 'preact'
import { App } from './app.tsx'
import { followRoute, takeLink } from './route.ts'
import { start } from './talk/session.ts'
import { joinTelegram } from './telegram/telegram.ts'

const host = document.getElementById('page')
if (host === null) throw new Error('Cannot show page: index.html has no element for it')

const link = takeLink()
followRoute()
joinTelegram()
render(<App />, host)
void start(link)
