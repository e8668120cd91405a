// SPDX-License-Identifier: MIT
// embed.js - what another page loads to have <askd-chat>: <script type="module" src="https://askd.example.com/embed.js">.
import './page/@VERSION@/askd_chat.js';
