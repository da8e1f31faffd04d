// Most of what is in libstdc++ itself: streams, locales, regular expressions, threads, exceptions, files.
#include <algorithm>
#include <atomic>
#include <charconv>
#include <codecvt>
#include <condition_variable>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <future>
#include <iomanip>
#include <iostream>
#include <locale>
#include <map>
#include <memory_resource>
#include <mutex>
#include <random>
#include <regex>
#include <set>
#include <shared_mutex>
#include <sstream>
#include <string>
#include <thread>
#include <typeinfo>
#include <unordered_map>
#include <vector>

namespace fs = std::filesystem;
using std::cout;

/// Calls what throws, and prints what.
template <typename Function> static void catching(Function function)
{
	try {
		function();
		cout << "nothing thrown\n";
	} catch (const std::exception &thrown) {
		cout << typeid(thrown).name() << ": " << thrown.what() << '\n';
	}
}

static int throwing(int depth)
{
	std::string kept(static_cast<size_t>(depth), 'x');
	if (depth == 0)
		std::string().at(3);
	try {
		return throwing(depth - 1) + static_cast<int>(kept.size());
	} catch (const std::out_of_range &) {
		if (depth % 3)
			throw;
		std::throw_with_nested(std::out_of_range("at " + std::to_string(depth)));
	}
}

static std::string nested(const std::exception &thrown)
{
	std::string said = thrown.what();
	try {
		std::rethrow_if_nested(thrown);
	} catch (const std::exception &inner) {
		said += "; " + nested(inner);
	}
	return said;
}

static void exceptions()
{
	for (int depth = 0; depth < 60; depth += 7) {
		try {
			throwing(depth);
		} catch (const std::exception &thrown) {
			cout << nested(thrown) << '\n';
		}
	}
	catching([] { std::stoi("x"); });
	catching([] { std::stoi("99999999999999999999"); });
	catching([] { std::function<void()>()(); });
	catching([] { new char[static_cast<size_t>(-1) / 4]; });
	catching([] { std::vector<int>().at(1); });
	catching([] { std::locale("xx_YY"); });
	catching([] { fs::file_size("missing"); });
	catching([] { std::unique_lock<std::mutex>().lock(); });
	for (const char *wrong : {"(", "[z-a]", "a{3,1}", "\\9", "*"})
		catching([&] { std::regex pattern(wrong); });
}

static void streams()
{
	std::stringstream text;
	text << std::hex << std::showbase << 255 << ' ' << std::setprecision(17) << 0.1 << std::boolalpha << true
	     << std::setw(12) << std::setfill('*') << -7 << std::put_money("12345") << std::quoted("a\"b");
	cout << text.str() << '\n';
	std::istringstream in("12 0x1f 3.5e10 word\n line two");
	int number;
	unsigned other;
	double real;
	std::string word;
	in >> number >> std::hex >> other >> real >> word;
	cout << number << ' ' << other << ' ' << real << ' ' << word << '\n';
	in.exceptions(std::ios::failbit | std::ios::eofbit);
	catching([&] {
		while (true)
			in >> word;
	});
	std::tm day{};
	std::istringstream("2020-02-29 12:34:56") >> std::get_time(&day, "%Y-%m-%d %H:%M:%S");
	cout << std::put_time(&day, "%c %x %X %A %B") << ' ' << day.tm_yday << '\n';
	{
		std::ofstream file("numbers", std::ios::binary);
		for (int line = 0; line < 20000; line++)
			file << line << '\n';
	}
	std::ifstream file("numbers");
	long sum = 0;
	for (long line; file >> line;)
		sum += line;
	file.clear();
	file.seekg(100);
	std::getline(file, word);
	cout << sum << ' ' << word << ' ' << file.tellg() << '\n';
	std::wostringstream wide;
	wide << L"w\u00e9" << 5 << std::fixed << 1.5;
	std::wstring_convert<std::codecvt_utf8<wchar_t>> converter;
	cout << converter.to_bytes(wide.str()) << '\n';
	catching([&] { converter.from_bytes("\xff"); });
}

struct Comma : std::numpunct<char> {
	char do_thousands_sep() const override { return '.'; }
	std::string do_grouping() const override { return "\3"; }
	char do_decimal_point() const override { return ','; }
};

static void locales()
{
	std::ostringstream text;
	text.imbue(std::locale(std::locale::classic(), new Comma));
	text << std::fixed << 1234567.25 << ' ' << 98765432L;
	cout << text.str() << '\n';
	std::locale locale("C.UTF-8");
	const auto &letters = std::use_facet<std::ctype<wchar_t>>(locale);
	cout << locale.name() << ' ' << letters.is(std::ctype_base::alpha, L'\u00e9') << '\n';
}

static void expressions()
{
	std::string text;
	for (int number = 0; number < 50; number++)
		text += "key" + std::to_string(number) + "=value" + std::to_string(number * number) + "; ";
	std::regex pair(R"((\w+)=([a-z]+)(\d+))");
	int sum = 0;
	for (std::sregex_iterator found(text.begin(), text.end(), pair), end; found != end; ++found)
		sum += std::stoi((*found)[3]);
	cout << sum << ' ' << std::regex_replace(text.substr(0, 40), pair, "$2:$1") << '\n';
	cout << std::regex_match("ABab", std::regex("(ab)\\1", std::regex::icase)) << '\n';
}

static void threads()
{
	std::shared_mutex lock;
	std::map<int, int> counts;
	std::atomic<long> caught{0};
	std::once_flag once;
	int runs = 0;
	std::vector<std::thread> all;
	for (int number = 0; number < 8; number++) {
		all.emplace_back([&, number] {
			for (int turn = 0; turn < 300; turn++) {
				std::call_once(once, [&] { runs++; });
				{
					std::unique_lock held(lock);
					counts[turn % 17] += number;
				}
				try {
					throwing(turn % 5);
				} catch (const std::out_of_range &) {
					caught++;
				}
			}
		});
	}
	for (auto &thread : all)
		thread.join();
	long sum = 0;
	for (const auto &[key, count] : counts)
		sum += count;
	cout << sum << ' ' << caught << ' ' << runs << '\n';
	std::vector<std::future<int>> futures;
	for (int number = 0; number < 20; number++) {
		auto how = number % 2 ? std::launch::async : std::launch::deferred;
		futures.push_back(std::async(how, [number] { return number == 7 ? throwing(number) : number; }));
	}
	for (auto &future : futures)
		catching([&] { cout << future.get() << ' '; });
	std::future<int> broken = std::promise<int>().get_future();
	catching([&] { broken.get(); });
}

static void files()
{
	fs::create_directories("d/e/f");
	for (int number = 0; number < 30; number++)
		std::ofstream("d/e/" + std::to_string(number)) << std::string(static_cast<size_t>(number), 'y');
	fs::create_directory_symlink("e", "d/link");
	std::set<std::string> seen;
	for (const auto &entry : fs::recursive_directory_iterator("d"))
		seen.insert(entry.path().string() + (entry.is_regular_file() ? " file" : ""));
	fs::copy("d", "copy", fs::copy_options::recursive | fs::copy_options::copy_symlinks);
	cout << seen.size() << ' ' << fs::remove_all("copy") << ' ' << fs::equivalent("d/link", "d/e") << ' '
	     << fs::path("a/../b/./c.tar.gz").lexically_normal() << '\n';
	fs::remove_all("d");
}

static void others()
{
	char digits[64];
	auto [end, error] = std::to_chars(digits, digits + sizeof digits, 1.0 / 3);
	double third = 0;
	std::from_chars(digits, end, third);
	cout << std::string(digits, end) << ' ' << (third == 1.0 / 3) << '\n';
	std::mt19937_64 generator(5);
	std::normal_distribution<> normal;
	std::unordered_map<std::string, int> words;
	double sum = 0;
	for (int number = 0; number < 20000; number++) {
		words["k" + std::to_string(number % 3000)]++;
		sum += normal(generator);
	}
	std::pmr::monotonic_buffer_resource memory;
	std::pmr::unsynchronized_pool_resource pool(&memory);
	std::pmr::vector<std::pmr::string> strings(&pool);
	for (int number = 0; number < 1000; number++)
		strings.emplace_back("longer than a string's own buffer");
	cout << sum << ' ' << words.size() << ' ' << strings.size() << '\n';
}

int main(int argc, char **)
{
	for (int round = 0; round < 3; round++) {
		exceptions();
		streams();
		locales();
		expressions();
		threads();
		files();
		others();
	}
	if (argc > 1) {
		std::set_terminate([] {
			cout << "terminated" << std::endl;
			std::_Exit(7);
		});
		std::thread([] { throwing(5); }).join();
	}
}
