// The shop in C++.
#include "sample.hpp"
#include <vector>

namespace shop::inner {

template <typename T, class U = std::vector<T>>
class EXPORT Shop final : public Base<T>, private Other {
public:
    Shop() : name_("x"), items_{1, 2} { init(); }
    explicit Shop(int n);
    ~Shop() override = default;
    // Sells.
    virtual std::map<int, U> sell(const T &thing, int n = f(1)) const noexcept = 0;
    bool operator==(const Shop &o) const { return same(o); }
    T &operator()(int i) { return items_[i]; }
    static constexpr int limit = 3;
private:
    struct Node { Node *next; int size() const { return 1; } };
    std::string name_;
};

enum class Size : int { Small, Large };
using Ids = std::vector<int>;

template <typename T>
auto Shop<T>::open(int x) -> decltype(x) {
    auto s = R"x(void fake() { )" )x";
    auto l = [&](int y) { return deep(y); };
    return std::make_unique<T>(x)->run();
}

Shop::Shop(int n) : Base<int>(n), name_{"a"} { Other::init(n); }
Shop::~Shop() { close(); }
std::ostream &operator<<(std::ostream &o, const Shop &s) { return o << 'x'; }

} // namespace

namespace { int hidden() { return 1; } }

extern "C" {
int plain(void);
}

int main(int argc, char **argv) { shop::inner::Shop s(1); return s.sell(2); }
