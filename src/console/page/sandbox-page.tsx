import { render } from 'preact'
import './style.css'

render(<h1>payhook sandbox</h1>, document.querySelector('#app') as Element)
